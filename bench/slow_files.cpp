// slow_files SOURCE MOUNTPOINT MILLISECONDS [TAIL]
// slow_files SOURCE MOUNTPOINT NAME=NUMBER,...
// Shows SOURCE under MOUNTPOINT, read-only, as storage that takes so long to answer each read and can answer many at
// once, until it is unmounted. With a TAIL, one read in 100, at random, takes so many milliseconds. The names of the
// second form are those of `loadline forecast --storage`; a client is a process, and its reads go past the page cache.
// In the first form nothing stays in the page cache from one opening of a file to the next. For bench/latency.sh and
// bench/forecast_check.py, where the real thing is absent.
#define FUSE_USE_VERSION 312
#include <dirent.h>
#include <fcntl.h>
#include <fuse.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "bench/truth/slow_storage.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kMostAtOnce = 512;  // reads; more would wait for each other and seem to take longer

std::string source;
std::chrono::milliseconds latency{0};
std::chrono::milliseconds tail_latency{0};      // of one read in 100
std::unique_ptr<loadline::SlowStorage> limits;  // of the second form, in place of these

// Of the next read. Steele's mix of a counter: the same reads in every run, at no regular distance.
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

// The process of the thread that asks; the thread itself where the system does not say.
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

void wait_for_answer(std::size_t bytes) {
  if (!limits) {
    std::this_thread::sleep_for(next_latency());
    return;
  }
  const std::chrono::duration<double> now = Clock::now().time_since_epoch();
  const auto thread = static_cast<std::size_t>(fuse_get_context()->pid);
  const std::chrono::duration<double> answer(limits->answers_at(now.count(), client_of(thread), bytes));
  std::this_thread::sleep_until(Clock::time_point(std::chrono::duration_cast<Clock::duration>(answer)));
}

std::string path_of(const char* path) {
  return source + path;
}

void* start(fuse_conn_info* connection, fuse_config* config) {
  connection->max_background = kMostAtOnce;  // what the system reads ahead counts as background
  config->kernel_cache = 0;
  // Of files that several processes have open at a time, only the first would wait for the storage.
  config->direct_io = limits ? 1 : 0;
  return nullptr;
}

int get_attributes(const char* path, struct stat* out, fuse_file_info* /*file*/) {
  return ::lstat(path_of(path).c_str(), out) == 0 ? 0 : -errno;
}

int list(const char* path, void* out, fuse_fill_dir_t fill, off_t /*offset*/, fuse_file_info* /*file*/,
         fuse_readdir_flags /*flags*/) {
  const auto close = [](DIR* directory) { ::closedir(directory); };
  const std::unique_ptr<DIR, decltype(close)> directory(::opendir(path_of(path).c_str()), close);
  if (!directory) return -errno;
  while (const dirent* entry = ::readdir(directory.get())) {
    fill(out, entry->d_name, nullptr, 0, static_cast<fuse_fill_dir_flags>(0));
  }
  return 0;
}

int open_file(const char* path, fuse_file_info* file) {
  const int descriptor = ::open(path_of(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  file->fh = static_cast<std::uint64_t>(descriptor);
  return 0;
}

int read_file(const char* /*path*/, char* out, std::size_t size, off_t offset, fuse_file_info* file) {
  const ssize_t bytes = ::pread(static_cast<int>(file->fh), out, size, offset);
  wait_for_answer(bytes < 0 ? 0 : static_cast<std::size_t>(bytes));
  return bytes < 0 ? -errno : static_cast<int>(bytes);
}

int close_file(const char* /*path*/, fuse_file_info* file) {
  ::close(static_cast<int>(file->fh));
  return 0;
}

// Whether the words after the two folders say what the storage is like; says so on stderr where they do not.
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
  fuse_operations operations{};
  operations.init = start;
  operations.getattr = get_attributes;
  operations.readdir = list;
  operations.open = open_file;
  operations.read = read_file;
  operations.release = close_file;
  fuse_args arguments = FUSE_ARGS_INIT(1, argv);
  fuse* const mounted = fuse_new(&arguments, &operations, sizeof operations, nullptr);
  if (mounted == nullptr || fuse_mount(mounted, argv[2]) != 0) {
    std::fprintf(stderr, "slow_files: cannot mount %s\n", argv[2]);
    return 1;
  }
  fuse_set_signal_handlers(fuse_get_session(mounted));
  fuse_loop_config* const config = fuse_loop_cfg_create();
  fuse_loop_cfg_set_max_threads(config, kMostAtOnce);
  fuse_loop_cfg_set_idle_threads(config, kMostAtOnce);
  const int result = fuse_loop_mt(mounted, config);
  fuse_loop_cfg_destroy(config);
  fuse_unmount(mounted);
  fuse_destroy(mounted);
  return result == 0 ? 0 : 1;
}
