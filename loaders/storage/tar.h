// Tar archives (POSIX.1-2001 pax interchange format, its ustar subset, and GNU tar's long names): the headers, one
// after the other, and where the bytes of each file lie.
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
  std::uint64_t header_offset = 0;  // of the header that stands right before the bytes
  std::uint64_t offset = 0;         // of the first byte
  std::uint64_t bytes = 0;
};

// Walks from header to header and reads little else, so that it costs a read of 512 bytes a file however long the files
// are. One thread.
class TarScanner {
 public:
  // Throws Error naming the path, also where the archive is compressed: nothing in it has a place then.
  explicit TarScanner(const std::filesystem::path& path);

  // The next regular file; none at the end of the archive. Directories, links and devices are passed over. Throws Error
  // naming path and byte for what is no header or is cut off, and for what has no bytes in one piece: a sparse file.
  std::optional<TarEntry> next();

  // The whole of an entry that is small. Throws Error naming the path and the entry where it has more than `most`
  // bytes.
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

// The name in the header at `header_offset` of an archive: the file's own but for what is longer than 255 characters.
std::string tar_name_at(std::span<const std::byte> archive, std::uint64_t header_offset);

// How many zeros follow so many bytes of a file.
std::size_t tar_padding(std::uint64_t bytes);

}  // namespace loadline
