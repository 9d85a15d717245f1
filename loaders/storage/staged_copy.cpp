#include "loaders/storage/staged_copy.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <chrono>
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
#include "loaders/size_words.h"
#include "loaders/storage/file.h"
#include "loaders/storage/file_lock.h"
#include "loaders/storage/new_file.h"
#include "loaders/storage/staged_listing.h"
#include "loaders/storage/staged_place.h"
#include "loaders/system/parallel.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kThreads = 8;  // network storage answers one request at a time slowly
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

// Without "." and "..". A ".." after a link leads to the parent of the link's target. Other links stay: their targets
// may have different names on each node.
fs::path whole_path(const fs::path& path) {
  const fs::path absolute = fs::absolute(path);
  fs::path before;  // everything up to the last ".."
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

Error changed(const fs::path& path) {
  return Error(fmt::format("{} changed while the data was copied", path.string()));
}

void copy_file(const fs::path& from, const StagedEntry& entry, const fs::path& to, std::vector<char>& piece,
               const std::function<bool(std::uint64_t)>& goes_on) {
  const File source = File::open(from);
  NewFile copy(to);
  std::uint64_t done = 0;
  while (const std::size_t got = source.read_once(done, std::as_writable_bytes(std::span(piece)))) {
    done += got;
    if (done > entry.bytes) throw changed(from);  // it may grow while it is copied
    copy.append({piece.data(), got});
    if (!goes_on(got)) return;
  }
  if (done != entry.bytes) throw changed(from);
  copy.set_modified(entry.modified_seconds, entry.modified_nanoseconds);
  copy.close();
  copy.keep();
}

// Copies all files, several at a time. Returns whether it reached the end.
bool copy_all(const fs::path& from, const StagedListing& listing, const fs::path& to,
              const std::function<void(std::uint64_t, std::uint64_t)>& show, const std::stop_token& stop) {
  for (const std::string& directory : listing.directories) fs::create_directory(to / directory);
  std::atomic<bool> failed{false};
  std::mutex mutex;  // guards `done` and `show`
  std::uint64_t done = 0;
  const auto goes_on = [&](std::uint64_t bytes) {
    const std::scoped_lock lock(mutex);
    done += bytes;
    show(done, listing.bytes);
    return !failed && !stop.stop_requested();
  };
  std::vector<std::vector<char>> pieces(kThreads);
  in_parallel(listing.files.size(), kThreads, [&](std::size_t worker, std::size_t i) {
    if (stop.stop_requested()) return;
    try {
      pieces[worker].resize(kPieceBytes);
      const StagedEntry& entry = listing.files[i];
      copy_file(from / entry.name, entry, to / entry.name, pieces[worker], goes_on);
    } catch (...) {
      // The others end at their next piece, because their files may be large. They open their files in any case: if
      // several cannot be opened, the first one is reported.
      failed = true;
      throw;
    }
  });
  return !stop.stop_requested();
}

std::string note_text(const fs::path& source, const StagedListing& listing) {
  return fmt::format("A copy that loadline made, and may be removed.\nof {}\nfiles {}\nbytes {}\nlisting {}\n",
                     source.string(), listing.files.size(), listing.bytes, digest_of(listing));
}

// For the copy itself: not all file systems keep times unchanged.
std::string kept_text(const StagedListing& copy) {
  return fmt::format("kept {}\n", digest_of(copy));
}

// Whether `place` is the complete copy. Throws Error if it is not a copy of this source: only its owner may remove
// it.
bool is_whole_copy(const fs::path& place, const fs::path& source, const StagedListing& listing,
                   std::span<const std::string> beside) {
  std::string note;
  if (fs::is_regular_file(place / kCopyNote)) note = read_text(place / kCopyNote, std::size_t{1} << 16);
  if (note.find(fmt::format("\nof {}\n", source.string())) == std::string::npos) {
    throw Error(
        fmt::format("{} is not a copy of it that loadline made; remove it, or name another directory", place.string()));
  }
  const std::string wanted = note_text(source, listing);
  if (!note.starts_with(wanted)) return false;
  try {
    return note == wanted + kept_text(listing_of(place, source.filename(), beside));
  } catch (const Error&) {
    return false;  // a part of it is gone
  }
}

// Removes the earlier copy, whose note is `stale`, if there is no room for both.
void make_room(const StagedListing& listing, const fs::path& place, const HeldFile* stale) {
  constexpr std::uint64_t kBlock = 4096;
  std::uint64_t needed = 0;
  for (const StagedEntry& file : listing.files) needed += (file.bytes + kBlock - 1) / kBlock * kBlock;
  const fs::path directory = place.parent_path();
  std::uint64_t room = fs::space(directory).available;
  if (needed > room && stale != nullptr) {
    if (const auto aside = set_aside(place, *stale)) fs::remove_all(*aside);
    wait_until_all_is_stored(directory);  // some file systems free the room only then
    room = fs::space(directory).available;
  }
  if (needed <= room) return;
  throw Error(fmt::format("it needs {}, but only {} are free", size_words(needed), size_words(room)));
}

std::unique_ptr<FileLock> lock_when_free(const fs::path& place, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (auto lock = FileLock::if_free(place)) return lock;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return nullptr;
}

// Throws Error if a run reads the copy, because it then holds its `use`.
std::unique_ptr<const HeldFile> held_to_replace(const fs::path& place) {
  if (auto held = HeldFile::alone(place / kCopyNote)) return held;
  throw Error(
      fmt::format("{} is an outdated copy that another run is reading; wait for that run, or name another directory",
                  place.string()));
}

std::unique_ptr<const HeldFile> held_to_read(const fs::path& place) {
  if (auto held = HeldFile::together(place / kCopyNote)) return held;
  throw Error(fmt::format("another process has locked {}", (place / kCopyNote).string()));
}

Error stage_refusal(const fs::path& source, const fs::path& directory, const std::string& why) {
  return Error(fmt::format("cannot stage {} in {}: {}", source.string(), directory.string(), why));
}

std::optional<StagedFiles> stage_whole(const fs::path& source, std::span<const std::string> beside,
                                       const fs::path& directory,
                                       const std::function<void(std::uint64_t, std::uint64_t)>& show,
                                       const std::stop_token& stop) {
  const fs::path place = staged_path(source, directory).parent_path();
  std::unique_ptr<FileLock> lock;
  std::exception_ptr refusal;
  try {
    lock = lock_when_free(place, stop);
    if (!lock) return std::nullopt;
    remove_leftovers(place);
  } catch (const std::exception&) {
    refusal = std::current_exception();  // a complete copy can be read where none can be made
  }
  const auto list = [&](const fs::path& root) { return listing_of(root, source.filename(), beside); };
  const StagedListing listing = list(source.parent_path());
  const auto is_there = [&] { return fs::exists(place) && is_whole_copy(place, source, listing, beside); };
  StagedFiles staged{.files = listing.files.size(), .bytes = listing.bytes};
  if (is_there()) {
    staged.use = held_to_read(place);
    return staged;
  }
  if (refusal) std::rethrow_exception(refusal);
  const auto stale = fs::exists(place) ? held_to_replace(place) : nullptr;
  make_room(listing, place, stale.get());
  AtomicDirectory fresh(place, host_mark());
  fs::permissions(fresh.temporary(), fs::perms::owner_all);  // other users may have had no access to the original
  if (!copy_all(source.parent_path(), listing, fresh.temporary(), show, stop)) return std::nullopt;
  const std::string difference = difference_of(listing, list(source.parent_path()));
  if (!difference.empty()) throw changed(source.parent_path() / difference);
  wait_until_all_is_stored(fresh.temporary());
  AtomicFile note(fresh.temporary() / kCopyNote);
  note.write(note_text(source, listing) + kept_text(list(fresh.temporary())));
  note.commit();
  commit_copy(fresh, place, stale.get(), is_there);
  staged.copied = true;
  staged.use = held_to_read(place);
  return staged;
}

bool lies_within(const fs::path& path, const fs::path& directory) {
  std::error_code ignored;
  const fs::path inner = fs::weakly_canonical(path, ignored);
  const fs::path outer = fs::weakly_canonical(directory, ignored);
  // Neither is known if links lead in a circle or a directory may not be searched; reading it will report that.
  return !outer.empty() && std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

// The names of those in the directory of `file`; empty if `file` is a directory.
std::vector<std::string> names_beside(const fs::path& file, std::span<const fs::path> others) {
  std::vector<std::string> names;
  if (fs::is_directory(file)) return names;
  for (const fs::path& other : others) {
    const fs::path path = whole_path(other);
    if (path != file && path.parent_path() == file.parent_path()) names.push_back(path.filename());
  }
  std::ranges::sort(names);
  return names;
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

void check_stage_directory(const fs::path& source, const fs::path& directory) {
  std::error_code unknown;
  if (lies_within(directory, whole_path(source))) {
    throw stage_refusal(source, directory, "the directory is inside the data");
  }
  if (!fs::exists(directory, unknown)) throw stage_refusal(source, directory, "the directory does not exist");
  if (!fs::is_directory(directory, unknown)) throw stage_refusal(source, directory, "that is not a directory");
}

std::optional<StagedFiles> stage_files(const fs::path& source, std::span<const fs::path> beside,
                                       const fs::path& directory,
                                       const std::function<void(std::uint64_t, std::uint64_t)>& show,
                                       const std::stop_token& stop) {
  check_stage_directory(source, directory);
  try {
    const fs::path whole = whole_path(source);
    return stage_whole(whole, names_beside(whole, beside), whole_path(directory), show, stop);
  } catch (const fs::filesystem_error& error) {
    throw stage_refusal(source, directory, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const Error& error) {
    throw stage_refusal(source, directory, error.what());
  }
}

}  // namespace loadline
