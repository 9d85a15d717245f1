// One writer of a file at a time.
#pragma once

#include <filesystem>
#include <memory>

namespace loadline {

// Holds `<path>.lock`, an empty file beside the one that is to be written, for as long as it lives, and removes it at
// the end. The lock is the system's (flock(2)) and ends with the process: a lock that a killed process left behind
// blocks no other. On a file system without locks there is none, and nothing is said.
class FileLock {
 public:
  // Throws Error naming the path: another process, or another object of this one, holds its lock; the lock file cannot
  // be made.
  explicit FileLock(const std::filesystem::path& path);
  // The same, but null where another holds it.
  static std::unique_ptr<FileLock> if_free(const std::filesystem::path& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  FileLock() = default;
  bool take(const std::filesystem::path& path);  // false: another holds it

  std::filesystem::path lock_;
  int descriptor_ = -1;
  bool ours_ = false;  // to remove: it is empty
};

}  // namespace loadline
