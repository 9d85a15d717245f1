// A new file that never replaces an existing one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace loadline {

// Created by the constructor, written from its beginning on, and open until closed or destroyed. Other processes can
// read what was written at once. The destructor removes the file unless keep() was called. Not thread-safe.
class NewFile {
 public:
  // Throws Error naming the path if it exists already or cannot be created.
  explicit NewFile(std::filesystem::path path);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  const std::filesystem::path& path() const { return path_; }
  // Throws Error naming the path and the reason (a full disk, a quota).
  void append(std::span<const std::byte> bytes);
  void append(std::string_view text);
  // Sets the time of last modification, counted from 1970. A later append() changes it again. Throws like append().
  void set_modified(std::int64_t seconds, std::int64_t nanoseconds);
  // Throws like append(): network file systems report a full disk or quota only here.
  void close();
  void keep() { kept_ = true; }

 private:
  std::filesystem::path path_;
  int descriptor_;
  bool kept_ = false;
};

// Writes one of many files. To wait until each is on storage would take hours for a million, so the caller calls
// wait_until_all_is_stored() behind the last. Throws Error like NewFile, and then leaves no file behind.
void write_new_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace loadline
