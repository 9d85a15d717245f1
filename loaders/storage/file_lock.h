// One writer of a file at a time, and readers whose files nobody replaces.
#pragma once

#include <filesystem>
#include <memory>

namespace loadline {

// Whether flock(2), which has refused a lock with this error, or 0, did so because another holds the file. Every other
// error is that of a file system without locks, where nobody holds anything.
bool another_holds(int error);

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

// A lock on an existing file, shared with other readers or held alone, for as long as the object lives. The lock is the
// system's (flock(2)), belongs to the file and stays when the file is renamed. On a file system without locks everybody
// who asks gets the file.
class HeldFile {
 public:
  // Null where another holds it alone. Throws Error naming the file where it cannot be opened.
  static std::unique_ptr<const HeldFile> together(const std::filesystem::path& path);
  // Null where another holds it, which may be an object of this process. Throws the same.
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
