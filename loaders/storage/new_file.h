// A new file: an existing one is never replaced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace loadline {

// Made by the constructor, written from its beginning on, and open until it is destroyed or closed. Others can read
// what was written at once. Removed by the destructor unless keep() was called. Not thread-safe.
class NewFile {
 public:
  // Throws Error naming the path where something is there already, and where it cannot be made.
  explicit NewFile(std::filesystem::path path);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  const std::filesystem::path& path() const { return path_; }
  // Throws Error naming the path and the reason (a full disk, a quota).
  void append(std::string_view bytes);
  // Says when the file was last modified: so long after 1970. append() changes that again. Throws as append().
  void set_modified(std::int64_t seconds, std::int64_t nanoseconds);
  // Throws as append(): network file systems report a full disk or quota only here.
  void close();
  void keep() { kept_ = true; }

 private:
  std::filesystem::path path_;
  int descriptor_;
  bool kept_ = false;
};

}  // namespace loadline
