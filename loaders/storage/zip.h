// Lists and inflates the entries of zip archives (PKWARE's APPNOTE.TXT 6.3, with its 64-bit sizes), such as NumPy's
// .npz files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "loaders/system/memory.h"

namespace loadline {

struct ZipEntry {
  std::string name;
  bool deflated = false;     // otherwise stored uncompressed
  std::uint64_t offset = 0;  // of its first stored byte in the archive
  std::uint64_t stored_bytes = 0;
  std::uint64_t bytes = 0;  // once inflated
  std::uint32_t crc = 0;    // of the inflated bytes
};

// All files in an archive, checked against its length. Throws Error that calls it `shown` if it is not a zip archive,
// is truncated or encrypted, or is compressed by anything but deflate.
std::vector<ZipEntry> zip_entries(std::span<const std::byte> archive, const std::string& shown);

// Inflates a deflated entry and checks its checksum. Throws Error naming the archive and the entry if it is corrupt,
// or claims more than its bytes can hold.
HugeMemory inflate_zip_entry(std::span<const std::byte> archive, const ZipEntry& entry, const std::string& shown);

// Whether the bytes of a stored entry, all of which it reads, match its checksum.
bool matches_checksum(std::span<const std::byte> archive, const ZipEntry& stored);

}  // namespace loadline
