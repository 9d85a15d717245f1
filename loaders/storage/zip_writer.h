// Writes zip archives, such as NumPy's .npz files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/storage/file.h"
#include "loaders/storage/zip.h"

namespace loadline {

// Writes uncompressed entries of any length in one pass: the checksum and the lengths of an entry follow its bytes, as
// the format allows (APPNOTE.TXT 6.3, "data descriptor"). All numbers have 64 bits and all dates are the first that the
// format knows, so the same entries give the same bytes. Not thread-safe. Every member throws Error like
// AtomicFile::write().
class ZipWriter {
 public:
  // Appends to `file`, which must be empty and outlive it. The caller commits it after finish().
  explicit ZipWriter(AtomicFile& file) : file_(file) {}

  // Begins an entry, and ends the one before it.
  void begin(std::string name);
  // Appends to the entry begun last.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  // Ends the archive.
  void finish();

 private:
  void append(const std::string& bytes);
  void end_entry();

  AtomicFile& file_;
  std::uint64_t at_ = 0;           // bytes written so far
  std::vector<ZipEntry> entries_;  // `offset` is that of the entry's own header
  bool open_ = false;              // whether the last entry has not ended
};

}  // namespace loadline
