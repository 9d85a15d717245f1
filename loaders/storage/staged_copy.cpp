#include "loaders/storage/staged_copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
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

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNote = "loadline-copy.txt";  // beside the copy: what it is of
constexpr std::size_t kThreads = 8;                      // network storage answers one request at a time slowly
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
constexpr int kDeepest = 64;  // directories within each other: more are a link to its own parent

struct StagedEntry {
  std::string name;  // below the directory of the source
  std::uint64_t bytes = 0;
  timespec modified{};
};

struct StagedListing {
  std::vector<StagedEntry> files;        // by name
  std::vector<std::string> directories;  // each behind its parent
  std::uint64_t bytes = 0;
};

fs::path whole_path(const fs::path& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

std::string reason_of(int code) {
  return std::strerror(code);
}

StagedEntry entry_of(const fs::path& root, std::string name) {
  struct stat status {};
  const fs::path path = root / name;
  if (::stat(path.c_str(), &status) != 0) {
    throw Error(fmt::format("cannot read {}: {}", path.string(), reason_of(errno)));
  }
  return {.name = std::move(name), .bytes = static_cast<std::uint64_t>(status.st_size), .modified = status.st_mtim};
}

void list_into(StagedListing& listing, const fs::path& root, const std::string& below, int depth) {
  if (depth > kDeepest) {
    throw Error(fmt::format("{} has more than {} directories within each other, as where a link leads back",
                            (root / below).string(), kDeepest));
  }
  listing.directories.push_back(below);
  std::vector<std::string> inner;
  for_each_entry(root / below, [&](std::string_view name, EntryKind kind) {
    std::string path = fmt::format("{}/{}", below, name);
    if (kind == EntryKind::kDirectory)
      inner.push_back(std::move(path));
    else if (kind == EntryKind::kFile)
      listing.files.push_back(entry_of(root, std::move(path)));
  });
  for (const std::string& directory : inner) list_into(listing, root, directory, depth + 1);
}

// What of `root` belongs to the source by this name.
StagedListing listing_of(const fs::path& root, const std::string& name, std::span<const std::string> beside) {
  StagedListing listing;
  if (fs::is_directory(root / name)) {
    list_into(listing, root, name, 0);
  } else {
    listing.files.push_back(entry_of(root, name));
    for (const std::string& other : beside) listing.files.push_back(entry_of(root, other));
  }
  std::ranges::sort(listing.files, {}, &StagedEntry::name);
  for (const StagedEntry& file : listing.files) listing.bytes += file.bytes;
  return listing;
}

// Of names, sizes and times.
std::string digest_of(const StagedListing& listing) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  XXH3_64bits_reset(state.get());
  for (const StagedEntry& file : listing.files) {
    const std::string line =
        fmt::format("{}\t{}\t{}.{:09}\n", file.name, file.bytes, file.modified.tv_sec, file.modified.tv_nsec);
    XXH3_64bits_update(state.get(), line.data(), line.size());
  }
  return fmt::format("{:016x}", XXH3_64bits_digest(state.get()));
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

// Its time is that of the original, by which the copy is known again.
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
  const StagedEntry now = entry_of(from.parent_path(), from.filename());
  if (done != entry.bytes || now.bytes != entry.bytes || now.modified.tv_sec != entry.modified.tv_sec ||
      now.modified.tv_nsec != entry.modified.tv_nsec) {
    throw Error(fmt::format("{} changed while it was copied", from.string()));
  }
  const timespec times[2] = {entry.modified, entry.modified};
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

// Whether what stands there is the copy. Throws Error where it is none of this source, which is for its owner to
// remove.
bool is_whole_copy(const fs::path& place, const fs::path& source, const std::string& wanted,
                   std::span<const std::string> beside) {
  std::string note;
  if (fs::is_regular_file(place / kNote)) note = read_text(place / kNote, std::size_t{1} << 16);
  if (note.find(fmt::format("\nof {}\n", source.string())) == std::string::npos) {
    throw Error(fmt::format("{} is there and is no copy of it that loadline made; remove it, or name another directory",
                            place.string()));
  }
  if (note != wanted) return false;
  try {
    return note_text(source, listing_of(place, source.filename(), beside)) == wanted;
  } catch (const Error&) {
    return false;  // something of it is gone
  }
}

// What processes that were killed have left; nobody else writes there while the lock is held.
void remove_leftovers(const fs::path& place) {
  const std::string begin = fmt::format(".{}.", place.filename().string());
  std::vector<fs::path> left;
  for_each_entry(place.parent_path(), [&](std::string_view name, EntryKind kind) {
    if (kind == EntryKind::kDirectory && name.starts_with(begin)) left.push_back(place.parent_path() / name);
  });
  for (const fs::path& one : left) fs::remove_all(one);
}

void check_room(const StagedListing& listing, const fs::path& directory) {
  constexpr std::uint64_t kBlock = 4096;
  std::uint64_t needed = 0;
  for (const StagedEntry& file : listing.files) needed += (file.bytes + kBlock - 1) / kBlock * kBlock;
  const std::uint64_t room = fs::space(directory).available;
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

// The old copy, which is not what is wanted any more, stays until the new one is whole.
void commit_over(AtomicDirectory& fresh, const fs::path& place) {
  fs::path old;
  if (fs::exists(place)) {
    old = place.parent_path() / fmt::format(".{}.old", place.filename().string());
    fs::rename(place, old);
  }
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
  const StagedListing listing = listing_of(source.parent_path(), source.filename(), beside);
  StagedFiles staged{.files = listing.files.size(), .bytes = listing.bytes};
  const std::string note = note_text(source, listing);
  if (fs::exists(place) && is_whole_copy(place, source, note, beside)) return staged;
  check_room(listing, directory);
  AtomicDirectory fresh(place);
  fs::permissions(fresh.temporary(), fs::perms::owner_all);  // others may not have been let at the original
  if (!copy_all(source.parent_path(), listing, fresh.temporary(), show, stop)) return std::nullopt;
  AtomicFile written(fresh.temporary() / kNote);
  written.write(note);
  written.commit();
  wait_until_all_is_stored(fresh.temporary());
  commit_over(fresh, place);
  staged.copied = true;
  return staged;
}

bool lies_within(const fs::path& path, const fs::path& directory) {
  std::error_code ignored;
  const fs::path inner = fs::weakly_canonical(path, ignored);
  const fs::path outer = fs::weakly_canonical(directory, ignored);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

fs::path staged_path(const fs::path& source, const fs::path& directory) {
  const fs::path whole = whole_path(source);
  const std::string text = whole.string();
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
