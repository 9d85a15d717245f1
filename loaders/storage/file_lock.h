// Locks: one writer of a file at a time, and readers whose file nobody replaces.
#pragma once

#include <filesystem>
#include <memory>

namespace loadline {

// Whether flock(2) failed with this error (0: success) because another process or object holds the lock. Any other
// error comes from a file system without locks, where nobody holds anything.
bool another_holds(int error);

// Holds `<path>.lock`, an empty file next to the one to be written, while it lives, and then removes it. The lock is
// the system's (flock(2)) and ends with the process: a lock file left by a killed process blocks nobody. On a file
// system without locks it silently locks nothing.
class FileLock {
 public:
  // Throws Error naming the path if another process, or another object in this one, holds the lock, or if the lock
  // file cannot be created.
  explicit FileLock(const std::filesystem::path& path);
  // The same, but null if another holds it.
  static std::unique_ptr<FileLock> if_free(const std::filesystem::path& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  FileLock() = default;
  bool take(const std::filesystem::path& path);  // false: another holds it

  std::filesystem::path lock_;
  int descriptor_ = -1;
  bool ours_ = false;  // whether to remove it
};

// A lock on an existing file, shared with other readers or exclusive, while the object lives. The lock is the
// system's (flock(2)), belongs to the file and survives a rename. On a file system without locks every request
// succeeds.
class HeldFile {
 public:
  // A shared lock; null if another holds it exclusively. Throws Error naming the file if it cannot be opened.
  static std::unique_ptr<const HeldFile> together(const std::filesystem::path& path);
  // An exclusive lock; null if another holds it, even an object of this process. Throws the same.
  static std::unique_ptr<const HeldFile> alone(const std::filesystem::path& path);
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;
  ~HeldFile();

  // Whether `path` leads to this very file.
  bool is_at(const std::filesystem::path& path) const;

 private:
  explicit HeldFile(int descriptor) : descriptor_(descriptor) {}
  static std::unique_ptr<const HeldFile> take(const std::filesystem::path& path, int access, int lock);

  int descriptor_;
};

}  // namespace loadline
