#include "loaders/storage/staged_copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "loaders/error.h"
#include "loaders/storage/directory.h"
#include "loaders/storage/file.h"
#include "loaders/storage/file_lock.h"
#include "loaders/storage/staged_listing.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNote = "loadline-copy.txt";  // beside the copy: what it is of
constexpr std::size_t kThreads = 8;                      // network storage answers one request at a time slowly
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

// Without "." and "..". Where a ".." follows a link it leads to the parent of what the link leads to. Other links stay:
// what they lead to may have another name on each node.
fs::path whole_path(const fs::path& path) {
  const fs::path absolute = fs::absolute(path);
  fs::path before;  // all up to the last ".."
  fs::path behind;
  for (const fs::path& part : absolute) {
    behind /= part;
    if (part == "..") before /= std::exchange(behind, fs::path());
  }
  std::error_code failure;
  if (!before.empty()) before = fs::weakly_canonical(before, failure);
  const fs::path normal = (failure ? absolute : before / behind).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

std::string reason_of(int code) {
  return std::strerror(code);
}

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }
  int close() { return ::close(std::exchange(descriptor_, -1)); }

 private:
  int descriptor_;
};

void write_all(int descriptor, std::span<const std::byte> bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(descriptor, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) throw Error(fmt::format("cannot write {}: {}", name, reason_of(errno)));
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
}

Error changed(const fs::path& path) {
  return Error(fmt::format("{} changed while the data was copied", path.string()));
}

void copy_file(const fs::path& from, const StagedEntry& entry, const fs::path& to, std::vector<std::byte>& piece,
               const std::function<bool(std::uint64_t)>& goes_on) {
  const File source = File::open(from);
  Descriptor copy(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (copy.get() < 0) throw Error(fmt::format("cannot write {}: {}", entry.name, reason_of(errno)));
  std::uint64_t done = 0;
  for (;;) {
    const std::size_t got = source.read_once(done, piece);
    if (got == 0) break;
    write_all(copy.get(), std::span(piece).first(got), entry.name);
    done += got;
    if (!goes_on(got)) return;
  }
  if (done != entry.bytes) throw changed(from);
  const timespec modified{.tv_sec = entry.modified_seconds, .tv_nsec = entry.modified_nanoseconds};
  const timespec times[2] = {modified, modified};
  if (::futimens(copy.get(), times) != 0 || copy.close() != 0) {
    throw Error(fmt::format("cannot write {}: {}", entry.name, reason_of(errno)));
  }
}

// All of them, several at a time. Returns whether it came to its end.
bool copy_all(const fs::path& from, const StagedListing& listing, const fs::path& to,
              const std::function<void(std::uint64_t, std::uint64_t)>& show, const std::stop_token& stop) {
  for (const std::string& directory : listing.directories) fs::create_directory(to / directory);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> ended{false};
  std::mutex mutex;  // of the two below, and of `show`
  std::uint64_t done = 0;
  std::exception_ptr failure;
  const auto goes_on = [&](std::uint64_t bytes) {
    const std::scoped_lock lock(mutex);
    done += bytes;
    show(done, listing.bytes);
    return !ended && !stop.stop_requested();
  };
  const auto work = [&] {
    try {
      std::vector<std::byte> piece(kPieceBytes);
      for (std::size_t i = next++; i < listing.files.size() && !ended && !stop.stop_requested(); i = next++) {
        const StagedEntry& entry = listing.files[i];
        copy_file(from / entry.name, entry, to / entry.name, piece, goes_on);
      }
    } catch (...) {
      ended = true;
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(kThreads, listing.files.size()); ++i) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return !stop.stop_requested();
}

void wait_until_all_is_stored(const fs::path& directory) {
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0 && ::syncfs(opened.get()) == 0) return;
  throw Error(fmt::format("cannot write {}: {}", directory.string(), reason_of(errno)));
}

std::string note_text(const fs::path& source, const StagedListing& listing) {
  return fmt::format("A copy that loadline made, and may be removed.\nof {}\nfiles {}\nbytes {}\nlisting {}\n",
                     source.string(), listing.files.size(), listing.bytes, digest_of(listing));
}

// Of the copy itself: not all file systems keep times as they were given.
std::string kept_text(const StagedListing& copy) {
  return fmt::format("kept {}\n", digest_of(copy));
}

// Whether what stands there is the copy. Throws Error where it is none of this source, which is for its owner to
// remove.
bool is_whole_copy(const fs::path& place, const fs::path& source, const StagedListing& listing,
                   std::span<const std::string> beside) {
  std::string note;
  if (fs::is_regular_file(place / kNote)) note = read_text(place / kNote, std::size_t{1} << 16);
  if (note.find(fmt::format("\nof {}\n", source.string())) == std::string::npos) {
    throw Error(fmt::format("{} is there and is no copy of it that loadline made; remove it, or name another directory",
                            place.string()));
  }
  const std::string wanted = note_text(source, listing);
  if (!note.starts_with(wanted)) return false;
  try {
    return note == wanted + kept_text(listing_of(place, source.filename(), beside));
  } catch (const Error&) {
    return false;  // something of it is gone
  }
}

// Of this node, in names that other nodes may see.
std::string host_mark() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "host";
  std::string mark = name.data();
  std::ranges::replace(mark, '/', '_');
  return mark;
}

// What every copy that is not whole, or not any more, is called before the number of its process.
std::string mark_of_unfinished(const fs::path& place) {
  return fmt::format(".{}.{}.", place.filename().string(), host_mark());
}

// Whether this names something by "<process>-...", and of a process that is gone. This one has nothing else there, as
// it holds the lock.
bool is_of_ended_process(std::string_view name) {
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  if (error != std::errc() || end == name.data() + name.size() || *end != '-' || process <= 0) return false;
  return process == ::getpid() || (::kill(process, 0) != 0 && errno == ESRCH);
}

// What killed processes of this node have left. Locks need not reach other nodes, which may be copying.
void remove_leftovers(const fs::path& place) {
  const std::string begin = mark_of_unfinished(place);
  std::vector<fs::path> left;
  for_each_entry(place.parent_path(), [&](std::string_view name, EntryKind kind) {
    if (kind == EntryKind::kDirectory && name.starts_with(begin) && is_of_ended_process(name.substr(begin.size())))
      left.push_back(place.parent_path() / name);
  });
  for (const fs::path& one : left) fs::remove_all(one);
}

// Gives the copy the name of a leftover, under which it may be removed in part.
fs::path set_aside(const fs::path& place) {
  fs::path aside = place.parent_path() / fmt::format("{}{}-old", mark_of_unfinished(place), ::getpid());
  fs::rename(place, aside);
  return aside;
}

// The earlier copy goes first where there is no room for both.
void make_room(const StagedListing& listing, const fs::path& place) {
  constexpr std::uint64_t kBlock = 4096;
  std::uint64_t needed = 0;
  for (const StagedEntry& file : listing.files) needed += (file.bytes + kBlock - 1) / kBlock * kBlock;
  const fs::path directory = place.parent_path();
  std::uint64_t room = fs::space(directory).available;
  if (needed > room && fs::exists(place)) {
    fs::remove_all(set_aside(place));
    wait_until_all_is_stored(directory);  // some file systems count the room only then
    room = fs::space(directory).available;
  }
  if (needed <= room) return;
  throw Error(
      fmt::format("it takes {} MiB, and there is room for {} MiB", (needed + (1U << 20) - 1) >> 20, room >> 20));
}

std::unique_ptr<FileLock> lock_when_free(const fs::path& place, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (auto lock = FileLock::if_free(place)) return lock;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return nullptr;
}

// Throws Error where a run reads the copy, as it keeps `use` of it.
std::shared_ptr<const HeldFile> held_to_replace(const fs::path& place) {
  if (auto held = HeldFile::alone(place / kNote)) return held;
  throw Error(fmt::format(
      "{} is not what the data is now, and another run is reading it; wait for its end, or name another directory",
      place.string()));
}

std::shared_ptr<const HeldFile> held_to_read(const fs::path& place) {
  if (auto held = HeldFile::together(place / kNote)) return held;
  throw Error(fmt::format("another process has locked {}", (place / kNote).string()));
}

// The old copy, which is not what is wanted any more, stays until the new one is whole, if there is room.
void commit_over(AtomicDirectory& fresh, const fs::path& place) {
  fs::path old;
  if (fs::exists(place)) old = set_aside(place);
  fresh.commit();
  if (!old.empty()) fs::remove_all(old);
}

std::optional<StagedFiles> stage_whole(const fs::path& source, std::span<const std::string> beside,
                                       const fs::path& directory,
                                       const std::function<void(std::uint64_t, std::uint64_t)>& show,
                                       const std::stop_token& stop) {
  if (!fs::is_directory(directory)) throw Error("there is no such directory");
  const fs::path place = staged_path(source, directory).parent_path();
  const auto lock = lock_when_free(place, stop);
  if (!lock) return std::nullopt;
  remove_leftovers(place);
  const auto list = [&](const fs::path& root) { return listing_of(root, source.filename(), beside); };
  const StagedListing listing = list(source.parent_path());
  const auto is_there = [&] { return fs::exists(place) && is_whole_copy(place, source, listing, beside); };
  StagedFiles staged{.files = listing.files.size(), .bytes = listing.bytes};
  if (is_there()) {
    staged.use = held_to_read(place);
    return staged;
  }
  const auto old = fs::exists(place) ? held_to_replace(place) : nullptr;
  make_room(listing, place);
  AtomicDirectory fresh(place, host_mark());
  fs::permissions(fresh.temporary(), fs::perms::owner_all);  // others may not have been let at the original
  if (!copy_all(source.parent_path(), listing, fresh.temporary(), show, stop)) return std::nullopt;
  const std::string difference = difference_of(listing, list(source.parent_path()));
  if (!difference.empty()) throw changed(source.parent_path() / difference);
  wait_until_all_is_stored(fresh.temporary());
  AtomicFile note(fresh.temporary() / kNote);
  note.write(note_text(source, listing) + kept_text(list(fresh.temporary())));
  note.commit();
  // Where locks do not reach another node, that may have come to its end first, and reads its copy.
  if (!is_there()) commit_over(fresh, place);
  staged.copied = true;
  staged.use = held_to_read(place);
  return staged;
}

bool lies_within(const fs::path& path, const fs::path& directory) {
  std::error_code ignored;
  const fs::path inner = fs::weakly_canonical(path, ignored);
  const fs::path outer = fs::weakly_canonical(directory, ignored);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

fs::path staged_source(const fs::path& source) {
  return whole_path(source);
}

fs::path staged_path(const fs::path& source, const fs::path& directory) {
  const fs::path whole = whole_path(source);
  const std::string text = fmt::format("{} {}", ::geteuid(), whole.string());
  const std::string name = whole.filename().string();
  const std::string key = fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())).substr(0, 12);
  return whole_path(directory) / fmt::format("loadline-{}-{}", name, key) / name;
}

std::optional<StagedFiles> stage_files(const fs::path& source, std::span<const fs::path> beside,
                                       const fs::path& directory,
                                       const std::function<void(std::uint64_t, std::uint64_t)>& show,
                                       const std::stop_token& stop) {
  const fs::path whole = whole_path(source);
  const auto refusal = [&](const std::string& why) {
    return Error(fmt::format("cannot stage {} in {}: {}", source.string(), directory.string(), why));
  };
  if (lies_within(directory, whole)) throw refusal("the directory lies within the data");
  std::vector<std::string> names;
  if (!fs::is_directory(whole)) {
    for (const fs::path& other : beside) {
      const fs::path path = whole_path(other);
      if (path != whole && path.parent_path() == whole.parent_path()) names.push_back(path.filename());
    }
    std::ranges::sort(names);
  }
  try {
    return stage_whole(whole, names, whole_path(directory), show, stop);
  } catch (const fs::filesystem_error& error) {
    throw refusal(fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const Error& error) {
    throw refusal(error.what());
  }
}

}  // namespace loadline
