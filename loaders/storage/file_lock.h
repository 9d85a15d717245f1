// One writer of a file at a time, and readers whose files nobody replaces.
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

// Holds a file that is there for as long as it lives, together with others or alone. The lock is the system's
// (flock(2)) on the file itself, and goes with it to another name. Where the file system has no locks all get the file.
class HeldFile {
 public:
  // Null where another holds it alone. Throws Error naming the file where it cannot be opened.
  static std::shared_ptr<const HeldFile> together(const std::filesystem::path& path);
  // Null where another holds it, which may be an object of this process. Throws the same.
  static std::shared_ptr<const HeldFile> alone(const std::filesystem::path& path);
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;
  ~HeldFile();

 private:
  explicit HeldFile(int descriptor) : descriptor_(descriptor) {}
  static std::shared_ptr<const HeldFile> take(const std::filesystem::path& path, int access, int lock);

  int descriptor_;
};

}  // namespace loadline
