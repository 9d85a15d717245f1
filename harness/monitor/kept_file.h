// A small file in /proc or /sys that is read again and again.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace loadline {

// Stays open: opening costs more than reading. One thread.
class KeptFile {
 public:
  // A file that cannot be opened reads as empty. `most_bytes`: how much of its beginning to read.
  explicit KeptFile(const std::filesystem::path& path, std::size_t most_bytes = 4096);
  KeptFile(KeptFile&& other) noexcept;
  KeptFile& operator=(KeptFile&&) = delete;
  ~KeptFile();

  // The current text; empty if it cannot be read. Valid until the next call. Does not allocate.
  std::string_view text();

 private:
  int descriptor_;
  std::vector<char> buffer_;
};

}  // namespace loadline
