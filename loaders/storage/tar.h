// Tar archives (POSIX.1-2001 pax interchange format, its ustar subset, and GNU tar's long names): walks the headers
// and locates the bytes of each file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {

// A regular file in an archive.
struct TarEntry {
  std::string name;
  std::uint64_t offset = 0;  // of the first byte; the header lies right before it
  std::uint64_t bytes = 0;
};

// Walks from header to header and reads little else: 512 bytes per file, however long the files are. One thread.
class TarScanner {
 public:
  // Throws Error naming the path, also if the archive is compressed, because its files then have no place in it.
  explicit TarScanner(const std::filesystem::path& path);

  // The next regular file; nullopt at the end of the archive. Skips directories, links and devices. Throws Error
  // naming path and byte for an invalid or truncated header, and for a sparse file, whose bytes are not contiguous.
  std::optional<TarEntry> next();

  // Reads a small entry completely. Throws Error naming the path and the entry if it has more than `most` bytes.
  std::string read(const TarEntry& entry, std::size_t most) const;

 private:
  struct Header;

  Error refusal(std::uint64_t at, const std::string& why) const;
  std::optional<Header> read_header();
  void read_pax(const Header& header, std::optional<std::string>& name, std::optional<std::uint64_t>& bytes) const;
  void check_nothing_follows(std::uint64_t at) const;

  File file_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;  // where the next header begins
};

// The name in the header of the file whose bytes begin at `offset` of an archive; names longer than 255 characters are
// truncated. Empty if the archive does not reach that far.
std::string tar_name_at(std::span<const std::byte> archive, std::uint64_t offset);

// How many zeros follow a file of `bytes` bytes.
std::size_t tar_padding(std::uint64_t bytes);

}  // namespace loadline
