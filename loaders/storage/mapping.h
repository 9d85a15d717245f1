// Maps files for reading, and tells how much of a file the page cache holds.
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
// A page that vanishes under a reader (the file was truncated, its storage failed) raises SIGBUS. The first mapping
// of the process installs a handler that puts a zero page in its place and marks the mapping broken, so that the
// reader continues and check_intact() then throws. A SIGBUS from elsewhere goes to the earlier handler or the
// system's default action, and ours stays installed.
class MappedFile {
 public:
  // Throws Error naming the path and the reason. An empty file has empty bytes(). Any number of files may be mapped
  // at a time.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  const std::filesystem::path& path() const { return path_; }
  // `count` elements of `element_bytes` each, from byte `offset` on. These numbers may come from the file itself: any
  // values are checked against its length without overflow. Throws Error naming the path and, as `what`, the part if
  // they reach past the end.
  std::span<const std::byte> part(std::string_view what, std::uint64_t offset, std::uint64_t count,
                                  std::uint64_t element_bytes) const;
  // Throws Error naming path and byte if any read so far met a vanished page. Cheap: one atomic load. A file cut short
  // inside its last page raises no signal; check_size() asks the file system.
  void check_intact() const;
  // Throws Error if the file has become shorter.
  void check_size() const;

  // Unmaps the pages read so far from this process's memory; they stay in the page cache. Any thread.
  void forget_pages() const;

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
  WatchedPages* watched_;  // never null; lives for ever, so that the signal handler may read it at any time
};

struct Residency {
  std::size_t pages = 0;
  // How many of these are in the page cache. std::nullopt if the system does not tell: since Linux 5.2 it tells only
  // those who own the file or may write it.
  std::optional<std::size_t> resident_pages = 0;

  Residency& operator+=(const Residency& other);
};

// Counts the pages of the file at `path`, or of its first `most_bytes` bytes, and how many of them the page cache holds
// now. Does not read the file. Throws Error naming the path.
Residency page_cache_residency(const std::filesystem::path& path,
                               std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

}  // namespace loadline
