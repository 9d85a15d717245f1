// slow_files SOURCE MOUNTPOINT MILLISECONDS [TAIL]
// slow_files SOURCE MOUNTPOINT NAME=NUMBER,...
// Shows SOURCE under MOUNTPOINT, read-only, until it is unmounted, as storage that takes MILLISECONDS to answer each
// read and can answer many at once. With TAIL, one read in 100, at random, takes TAIL milliseconds. The names of the
// second form are those of `loadline forecast --storage`; a client is a process. Each open file has its own page
// cache, as on separate nodes: nothing stays from one opening to the next, and two processes with the same file open
// both wait for its bytes. For bench/latency.sh and bench/forecast_check.py, in place of real storage.
#define FUSE_USE_VERSION 312  // NOLINT(readability-identifier-naming): its own
#include <dirent.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "bench/truth/slow_storage.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kMostAtOnce = 512;  // reads at a time; more would wait for each other and seem slower

std::string source;
std::chrono::milliseconds latency{0};
std::chrono::milliseconds tail_latency{0};      // of one read in 100
std::unique_ptr<loadline::SlowStorage> limits;  // of the second form, instead of these

// The delay of the next read. Steele's mix of a counter: the same reads in every run, at irregular distances.
std::chrono::milliseconds next_latency() {
  static std::atomic<std::uint64_t> reads{0};
  std::uint64_t mixed = reads.fetch_add(1, std::memory_order_relaxed) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return (mixed >> 32) % 100 == 0 ? tail_latency : latency;
}

bool to_milliseconds(std::string_view text, std::chrono::milliseconds& out) {
  int number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  out = std::chrono::milliseconds(number);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() && number >= 0;
}

// The process of the requesting thread, or the thread itself if the system does not say.
std::size_t client_of(std::size_t thread) {
  static std::mutex mutex;
  static std::map<std::size_t, std::size_t> known;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(thread, thread);
  if (is_new) {
    std::ifstream status("/proc/" + std::to_string(thread) + "/status");
    for (std::string word; status >> word;) {
      if (word == "Tgid:") status >> entry->second;
    }
  }
  return entry->second;
}

// A fixed latency counts from `asked`, so that what this program does meanwhile is part of it. The queues of `limits`
// count from now: a request joins them when its bytes are known.
void wait_for_answer(Clock::time_point asked, std::size_t asked_by, std::size_t bytes) {
  if (!limits) {
    std::this_thread::sleep_until(asked + next_latency());
    return;
  }
  const std::chrono::duration<double> now = Clock::now().time_since_epoch();
  const std::chrono::duration<double> answer(limits->answers_at(now.count(), client_of(asked_by), bytes));
  std::this_thread::sleep_until(Clock::time_point(std::chrono::duration_cast<Clock::duration>(answer)));
}

// The numbers of files and folders. A file gets a new number at each lookup, and so its own pages; folders keep
// theirs.
class Nodes {
 public:
  std::string path(fuse_ino_t node) {
    const std::lock_guard lock(mutex_);
    return node == FUSE_ROOT_ID ? source : nodes_.at(node).path;
  }

  fuse_ino_t look_up(const std::string& path, bool is_folder) {
    const std::lock_guard lock(mutex_);
    if (is_folder) {
      const auto [entry, is_new] = folders_.try_emplace(path, next_);
      if (!is_new) {
        ++nodes_.at(entry->second).looked_up;
        return entry->second;
      }
    }
    nodes_[next_] = {.path = path, .looked_up = 1, .is_folder = is_folder};
    return next_++;
  }

  void forget(fuse_ino_t node, std::uint64_t times) {
    const std::lock_guard lock(mutex_);
    const auto found = nodes_.find(node);
    if (found == nodes_.end() || (found->second.looked_up -= std::min(times, found->second.looked_up)) > 0) return;
    if (found->second.is_folder) folders_.erase(found->second.path);
    nodes_.erase(found);
  }

 private:
  struct Node {
    std::string path;
    std::uint64_t looked_up = 0;
    bool is_folder = false;
  };

  std::mutex mutex_;
  std::map<fuse_ino_t, Node> nodes_;
  std::map<std::string, fuse_ino_t> folders_;
  fuse_ino_t next_ = FUSE_ROOT_ID + 1;
};

Nodes nodes;

void start(void* /*data*/, fuse_conn_info* connection) {
  connection->max_background = kMostAtOnce;  // the system's read-ahead counts as background
}

void look_up(fuse_req_t request, fuse_ino_t parent, const char* name) {
  const std::string path = nodes.path(parent) + "/" + name;
  fuse_entry_param entry{};
  if (::lstat(path.c_str(), &entry.attr) != 0) {
    fuse_reply_err(request, errno);
    return;
  }
  const bool is_folder = S_ISDIR(entry.attr.st_mode);
  entry.ino = nodes.look_up(path, is_folder);
  entry.entry_timeout = is_folder ? std::numeric_limits<float>::max() : 0;
  // Otherwise the system asks for them again before each read that may reach the end of the file.
  entry.attr_timeout = std::numeric_limits<float>::max();
  if (fuse_reply_entry(request, &entry) != 0) nodes.forget(entry.ino, 1);
}

void forget(fuse_req_t request, fuse_ino_t node, std::uint64_t times) {
  nodes.forget(node, times);
  fuse_reply_none(request);
}

void get_attributes(fuse_req_t request, fuse_ino_t node, fuse_file_info* /*file*/) {
  struct stat attributes {};
  if (::lstat(nodes.path(node).c_str(), &attributes) != 0) {
    fuse_reply_err(request, errno);
  } else {
    fuse_reply_attr(request, &attributes, 0);
  }
}

// The names of an open folder, in the form that the system expects.
std::vector<char>* listing_of(const fuse_file_info& folder) {
  return reinterpret_cast<std::vector<char>*>(folder.fh);  // NOLINT(performance-no-int-to-ptr): FUSE keeps it as one
}

void open_folder(fuse_req_t request, fuse_ino_t node, fuse_file_info* folder) {
  const auto close = [](DIR* directory) { ::closedir(directory); };
  const std::unique_ptr<DIR, decltype(close)> directory(::opendir(nodes.path(node).c_str()), close);
  if (!directory) {
    fuse_reply_err(request, errno);
    return;
  }
  auto listing = std::make_unique<std::vector<char>>();
  while (const dirent* entry = ::readdir(directory.get())) {
    struct stat kind {};
    kind.st_ino = entry->d_ino;
    kind.st_mode = static_cast<mode_t>(DTTOIF(entry->d_type));
    const std::size_t before = listing->size();
    const std::size_t bytes = fuse_add_direntry(request, nullptr, 0, entry->d_name, nullptr, 0);
    listing->resize(before + bytes);
    fuse_add_direntry(request, listing->data() + before, bytes, entry->d_name, &kind,
                      static_cast<off_t>(before + bytes));
  }
  folder->fh = reinterpret_cast<std::uint64_t>(listing.get());
  if (fuse_reply_open(request, folder) == 0) static_cast<void>(listing.release());
}

void list(fuse_req_t request, fuse_ino_t /*node*/, std::size_t size, off_t offset, fuse_file_info* folder) {
  const std::vector<char>& listing = *listing_of(*folder);
  const std::size_t from = std::min(static_cast<std::size_t>(offset), listing.size());
  // Only complete names: each says where the next begins, and the system continues from there.
  fuse_reply_buf(request, listing.data() + from, std::min(size, listing.size() - from));
}

void close_folder(fuse_req_t request, fuse_ino_t /*node*/, fuse_file_info* folder) {
  delete listing_of(*folder);
  fuse_reply_err(request, 0);
}

void open_file(fuse_req_t request, fuse_ino_t node, fuse_file_info* file) {
  const int descriptor = ::open(nodes.path(node).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    fuse_reply_err(request, errno);
    return;
  }
  file->fh = static_cast<std::uint64_t>(descriptor);
  if (fuse_reply_open(request, file) != 0) ::close(descriptor);
}

void read_file(fuse_req_t request, fuse_ino_t /*node*/, std::size_t size, off_t offset, fuse_file_info* file) {
  const Clock::time_point asked = Clock::now();
  std::vector<char> bytes(size);
  const ssize_t got = ::pread(static_cast<int>(file->fh), bytes.data(), size, offset);
  const int error = errno;
  const std::size_t read = got < 0 ? 0 : static_cast<std::size_t>(got);
  wait_for_answer(asked, static_cast<std::size_t>(fuse_req_ctx(request)->pid), read);
  if (got < 0) {
    fuse_reply_err(request, error);
  } else {
    fuse_reply_buf(request, bytes.data(), read);
  }
}

void close_file(fuse_req_t request, fuse_ino_t /*node*/, fuse_file_info* file) {
  ::close(static_cast<int>(file->fh));
  fuse_reply_err(request, 0);
}

// Whether the words after the two folders describe the storage; if not, prints that on stderr.
bool read_limits(int argc, char** argv) {
  if (argc == 4 && std::strchr(argv[3], '=') != nullptr) {
    try {
      limits = std::make_unique<loadline::SlowStorage>(loadline::read_storage("slow_files", argv[3]));
      return true;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return false;
    }
  }
  const bool known =
      (argc == 4 || argc == 5) && to_milliseconds(argv[3], latency) && to_milliseconds(argv[argc - 1], tail_latency);
  if (!known) {
    std::fputs(
        "usage: slow_files SOURCE MOUNTPOINT MILLISECONDS [TAIL], or SOURCE MOUNTPOINT NAME=NUMBER,... with names of "
        "loadline forecast --storage\n",
        stderr);
  }
  return known;
}

}  // namespace

int main(int argc, char** argv) {
  if (!read_limits(argc, argv)) return 2;
  source = argv[1];
  // Otherwise the system may end each delay up to 50 us late. All threads inherit it.
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  fuse_lowlevel_ops operations{};
  operations.init = start;
  operations.lookup = look_up;
  operations.forget = forget;
  operations.getattr = get_attributes;
  operations.opendir = open_folder;
  operations.readdir = list;
  operations.releasedir = close_folder;
  operations.open = open_file;
  operations.read = read_file;
  operations.release = close_file;
  fuse_args arguments = FUSE_ARGS_INIT(1, argv);
  fuse_session* const session = fuse_session_new(&arguments, &operations, sizeof operations, nullptr);
  if (session == nullptr || fuse_session_mount(session, argv[2]) != 0) {
    std::fprintf(stderr, "slow_files: cannot mount %s\n", argv[2]);
    return 1;
  }
  fuse_set_signal_handlers(session);
  fuse_loop_config* const config = fuse_loop_cfg_create();
  fuse_loop_cfg_set_max_threads(config, kMostAtOnce);
  fuse_loop_cfg_set_idle_threads(config, kMostAtOnce);
  const int result = fuse_session_loop_mt(session, config);
  fuse_loop_cfg_destroy(config);
  fuse_remove_signal_handlers(session);
  fuse_session_unmount(session);
  fuse_session_destroy(session);
  return result == 0 ? 0 : 1;
}
