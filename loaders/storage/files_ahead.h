// Reads whole files by pread(2), one after another, while the system fetches the next ones.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

// Limits how many files may be open ahead in a process that has other files to open too. Any thread.
class OpenFileAllowance {
 public:
  // A quarter of the limit on open files of this process (RLIMIT_NOFILE), and no more than 4,096.
  OpenFileAllowance();
  explicit OpenFileAllowance(std::size_t files) : left_(static_cast<std::ptrdiff_t>(files)) {}

  // False if the allowance is used up.
  bool take();
  void give_back() { left_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::ptrdiff_t> left_;
};

// How many files each pread reader of a folder keeps open ahead.
inline constexpr std::size_t kFilesAhead = 32;

// Opens files when they are requested and tells the system to fetch them (posix_fadvise, POSIX_FADV_WILLNEED), up to
// 4 MiB of each, so one thread keeps many storage requests in flight. A file that cannot be opened ahead, for
// whatever reason, is opened when it is taken. One thread. Allocates nothing once its memory has grown to the longest
// file.
class FilesAhead {
 public:
  // Borrows `allowance`, which other queues may share.
  FilesAhead(std::size_t capacity, OpenFileAllowance& allowance);
  FilesAhead(const FilesAhead&) = delete;
  FilesAhead& operator=(const FilesAhead&) = delete;
  ~FilesAhead() { clear(); }

  std::size_t capacity() const { return places_.size(); }
  // Files requested and not yet taken, at most the capacity.
  std::size_t size() const { return size_; }

  // Requests a file. Only while size() is below the capacity.
  void push(std::string_view path);
  // Tells the system to fetch a file that will be pushed later, perhaps to another queue; keeps nothing open. Never
  // fails.
  static void fetch(const std::string& path);
  // Reads and closes the file that was requested first. Its bytes are valid until the next one is taken. Throws Error
  // naming the path and the reason; the next file can still be taken.
  std::span<const std::byte> take();
  // Forgets all requested files.
  void clear();

 private:
  struct Place {
    std::string path;  // its memory is reused
    int descriptor = -1;
  };

  void close(Place& place);
  bool read_whole(const Place& place, std::size_t& bytes);

  OpenFileAllowance& allowance_;
  std::vector<Place> places_;
  std::vector<std::byte> memory_;  // of the file taken last
  std::size_t first_ = 0;          // place of the file to take next
  std::size_t size_ = 0;
};

}  // namespace loadline
