// Files mapped for reading, and how much of a file the page cache holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace loadline {

struct WatchedPages;

// A whole file mapped read-only. bytes() may be read from any thread while the object lives.
//
// A page that vanishes under a reader (the file was truncated, its storage failed) raises SIGBUS. The first mapping of
// the process installs a handler that puts a zero page in its place and marks the mapping broken, so that the reader
// runs on and check_intact() then throws. A SIGBUS from elsewhere is handed to what was there before, a handler or the
// system's own way, and ours stays in its place.
class MappedFile {
 public:
  // Throws Error naming the path and the reason. An empty file gives empty bytes(). Any number at a time.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  const std::filesystem::path& path() const { return path_; }
  // `count` elements of `element_bytes` each, from byte `offset` on: what the file says of itself, held against its
  // length whatever numbers these are. Throws Error naming the path and, as `what`, the part, when they reach past it.
  std::span<const std::byte> part(std::string_view what, std::uint64_t offset, std::uint64_t count,
                                  std::uint64_t element_bytes) const;
  // Throws Error naming path and byte if any read so far met a vanished page. Cheap: one atomic load. A file cut short
  // inside its last page raises no signal; check_size() asks the file system.
  void check_intact() const;
  // Throws Error when the file is no longer as long as it was.
  void check_size() const;

  // Takes the pages read so far out of this process's memory; they stay in the page cache. Any thread.
  void forget_pages() const;

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
  WatchedPages* watched_;  // never null; lives for ever, so that the signal handler may look at it at any time
};

struct Residency {
  std::size_t pages = 0;
  // Of these, in the page cache. std::nullopt where the system does not tell: since Linux 5.2 it tells of a file only
  // those who own it or may write it.
  std::optional<std::size_t> resident_pages = 0;

  Residency& operator+=(const Residency& other);
};

// Pages of the file at `path`, or of its first so many bytes, and how many of them the page cache holds now. Does not
// read the file. Throws Error naming the path.
Residency page_cache_residency(const std::filesystem::path& path,
                               std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

}  // namespace loadline
