// Zip archives (PKWARE's APPNOTE.TXT 6.3, with its 64-bit sizes), as NumPy's .npz files are: the list of what is in
// one.
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
  bool deflated = false;     // otherwise stored as it is
  std::uint64_t offset = 0;  // of its first stored byte in the archive
  std::uint64_t stored_bytes = 0;
  std::uint64_t bytes = 0;  // once inflated
  std::uint32_t crc = 0;    // of these
};

// All files in an archive, held against its length. Throws Error naming it as `shown` for what is none, is cut off, is
// encrypted, or is compressed by anything but deflate.
std::vector<ZipEntry> zip_entries(std::span<const std::byte> archive, const std::string& shown);

// A deflated entry, its checksum checked. Throws Error naming the archive and the entry where it is corrupt, or claims
// more than its bytes can hold.
HugeMemory inflate_zip_entry(std::span<const std::byte> archive, const ZipEntry& entry, const std::string& shown);

}  // namespace loadline
