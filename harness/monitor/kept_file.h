// A small file of /proc or /sys that is read again and again.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace loadline {

// Stays open: opening costs more than reading. One thread.
class KeptFile {
 public:
  // A file that cannot be opened reads as nothing. `most_bytes`: as much of its beginning as is of interest.
  explicit KeptFile(const std::filesystem::path& path, std::size_t most_bytes = 4096);
  KeptFile(KeptFile&& other) noexcept;
  KeptFile& operator=(KeptFile&&) = delete;
  ~KeptFile();

  bool is_open() const { return descriptor_ >= 0; }
  // As it is now; empty where it cannot be read. Valid until the next call. Allocates nothing.
  std::string_view text();

 private:
  int descriptor_;
  std::vector<char> buffer_;
};

}  // namespace loadline
