// Files. Only storage/ makes system calls on files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace loadline {

// An open file descriptor, closed by the destructor. Reads may come from any thread.
class File {
 public:
  // Opens for reading without blocking: does not wait for the writer of a FIFO. Throws Error naming the path and the
  // system's reason.
  static File open(const std::filesystem::path& path);

  // The same for reads that bypass the page cache and leave it unchanged; nullopt if the file system has no such
  // reads. Offsets, lengths and memory addresses must then be multiples of 4 KiB.
  static std::optional<File> open_past_page_cache(const std::filesystem::path& path);

  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  ~File();

  int descriptor() const { return descriptor_; }
  const std::filesystem::path& path() const { return path_; }
  // The current size. Throws Error if the path is a directory or otherwise not a regular file.
  std::size_t size_bytes() const;
  // Whether this process owns the file or may write it. Only then does the system tell which of its pages are in the
  // page cache (mm/mincore.c of Linux).
  bool may_be_inspected() const;
  // Waits until everything written is on storage, as far as that is possible. Takes a moment even if nothing was
  // written.
  void wait_until_stored() const;
  // Asks the system to drop the first `bytes` bytes of the file from the page cache. Only a hint:
  // page_cache_residency() shows the result. Pages stay if they are not on storage yet, mapped by a process, or being
  // read at this moment.
  void drop_from_page_cache(std::size_t bytes) const;
  // Asks the system not to read ahead on this descriptor.
  void expect_random_reads() const;
  // Fills `out` from `offset` on; throws Error naming path and offset if the file ends earlier.
  void read_exactly(std::size_t offset, std::span<std::byte> out) const;
  // Reads as much from `offset` on as one system call delivers; returns the number of bytes, 0 at the end of the
  // file. Throws Error naming the path.
  std::size_t read_once(std::size_t offset, std::span<std::byte> out) const;

 private:
  File(int descriptor, std::filesystem::path path) : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;
  std::filesystem::path path_;
};

// Far more than any result or configuration has.
inline constexpr std::size_t kMostTextBytes = std::size_t{1} << 30;

// The whole file as text. Throws Error naming the path, also if the file has more than `most_bytes` bytes.
std::string read_text(const std::filesystem::path& path, std::size_t most_bytes = kMostTextBytes);

// Throws Error naming the path, as "cannot <operation> <path>: Permission denied", if this process may not read the
// file or enter the directory. Does nothing if the path does not exist.
void refuse_unreadable(std::string_view operation, const std::filesystem::path& path);

// Throws Error naming the path, as "cannot <operation> <path>: it is a FIFO, want a file", if the path is something
// other than a file: a directory, a FIFO, a socket, a device. Does nothing if the path does not exist.
void refuse_other_than_file(std::string_view operation, const std::filesystem::path& path);

// Whether there is something under this path, following links. Throws Error naming the path, as "cannot <operation>
// <path>: Permission denied", if that cannot be known: a directory may not be entered, links lead in a circle, or the
// name is too long.
bool is_there(std::string_view operation, const std::filesystem::path& path);

// Where the symbolic links at `path` lead, whether or not something is there; `path` itself if there is no link. Files
// and directories that are written under a temporary name and then renamed would otherwise replace the link. Throws
// Error naming the path, as "cannot <operation> <path>: Too many levels of symbolic links".
std::filesystem::path end_of_links(std::string_view operation, const std::filesystem::path& path);

// Opens something other than a file for writing: a FIFO that has a reader, a terminal, /dev/null or /dev/full.
// Opening does not block; writing waits for a slow reader. Returns a descriptor that the caller closes. Throws Error
// naming the path for everything else.
int open_other_than_file(const std::filesystem::path& path);

// Waits until everything written so far to the file system of `directory` is on storage: for many files, far quicker
// than waiting for each. Throws Error naming the directory and the reason.
void wait_until_all_is_stored(const std::filesystem::path& directory);

// A file that appears under its name complete or not at all: written under a temporary name in the same directory,
// then renamed. Not thread-safe. Without commit() the destructor removes what was written and leaves the old file
// unchanged.
class AtomicFile {
 public:
  // Throws Error naming the path if its directory cannot be written, or if the path is something other than a file,
  // which the rename would replace.
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  // Throws Error naming the path and the reason (a full disk, a quota).
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  // The temporary path until commit(), for a library that writes files itself.
  const std::filesystem::path& temporary() const { return temporary_; }
  // Flushes to storage and renames to the final name.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_;
};

// A directory that appears under its name complete or not at all. Same rules as AtomicFile; commit() throws Error if
// something non-empty has appeared under the name.
class AtomicDirectory {
 public:
  // Until commit() its name is ".<name>.<process>-<number>", or ".<name>.<mark>.<process>-<number>", next to `path`.
  explicit AtomicDirectory(std::filesystem::path path, std::string_view mark = {});
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;
  ~AtomicDirectory();

  // Where to write until commit().
  const std::filesystem::path& temporary() const { return temporary_; }
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
};

}  // namespace loadline
