// Files: the only place, with the rest of storage/, that makes system calls on them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loadline {

// An open file descriptor, closed by the destructor. Reads may come from any thread.
class File {
 public:
  // Opens for reading, and waits for nobody: of a FIFO not for one who writes to it. Throws Error naming the path and
  // the system's reason.
  static File open(const std::filesystem::path& path);

  // The same for reads past the page cache, which leave it as it is; nullopt where the file system has none. Offsets,
  // lengths and places in memory are then to be multiples of 4 KiB.
  static std::optional<File> open_past_page_cache(const std::filesystem::path& path);

  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  ~File();

  int descriptor() const { return descriptor_; }
  const std::filesystem::path& path() const { return path_; }
  // Bytes now. Throws Error when the path is a directory or otherwise not a regular file.
  std::size_t size_bytes() const;
  // Whether this process owns the file or may write it, which is what the system asks of whoever wants to know which
  // of its pages are in the page cache (mm/mincore.c of Linux).
  bool may_be_inspected() const;
  // Waits for what was written to be on storage, where it can be. Takes a moment even where nothing was written.
  void wait_until_stored() const;
  // Asks the system to give up what the page cache holds of the first so many bytes of the file. A hint:
  // page_cache_residency() tells what came of it. What is not on storage yet stays, and so do pages that a process has
  // mapped or that are being read at this moment.
  void drop_from_page_cache(std::size_t bytes) const;
  // Asks the system not to read ahead on this descriptor.
  void expect_random_reads() const;
  // Fills `out` from `offset` on; throws Error naming path and offset when the file ends before.
  void read_exactly(std::size_t offset, std::span<std::byte> out) const;
  // As much from `offset` on as one call of the system gives; returns how many bytes that was, 0 at the end of the
  // file. Throws Error naming the path.
  std::size_t read_once(std::size_t offset, std::span<std::byte> out) const;

 private:
  File(int descriptor, std::filesystem::path path) : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;
  std::filesystem::path path_;
};

// Far more than any result or configuration has.
inline constexpr std::size_t kMostTextBytes = std::size_t{1} << 30;

// The whole file as text. Throws Error naming the path, also where the file has more bytes than `most_bytes`.
std::string read_text(const std::filesystem::path& path, std::size_t most_bytes = kMostTextBytes);

// Throws Error naming the path, as "cannot <operation> <path>: it is a FIFO, want a file", where something other than a
// file stands there: a directory, a FIFO, a socket, a device. Nothing where nothing does.
void refuse_other_than_file(std::string_view operation, const std::filesystem::path& path);

// Opens what is no file for writing: a FIFO that somebody reads, a terminal, /dev/null or /dev/full. Waits for nobody.
// Returns a descriptor that the caller closes. Throws Error naming the path for everything else.
int open_other_than_file(const std::filesystem::path& path);

// A file that exists under its name whole or not at all: written beside it under a temporary name, then renamed.
// Not thread-safe. Without commit() the destructor removes what was written and leaves the old file as it was.
class AtomicFile {
 public:
  // Throws Error naming the path when its directory cannot be written, and where something other than a file stands
  // there, which the rename would replace.
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  // Throws Error naming the path and the reason (a full disk, a quota).
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  // Where it is until commit(), for a library that writes files by itself.
  const std::filesystem::path& temporary() const { return temporary_; }
  // Flushes to storage and renames over the final name.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_;
};

// A directory that appears under its name whole or not at all. Same rules as AtomicFile; commit() throws Error when
// something non-empty came to stand under the name.
class AtomicDirectory {
 public:
  // Until commit() it lies beside `path`, as ".<name>.<process>-<number>", or ".<name>.<mark>.<process>-<number>".
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
