// Whole files, many at a time, by io_uring (J. Axboe: "Efficient IO with io_uring"), for storage that answers late but
// can answer many at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace loadline {

// Files are opened, read and closed by the system alone, whichever is ready first, and taken in the order they were
// asked for. One thread.
class FileQueue {
 public:
  // For up to `capacity` files at a time. Throws Error when the system refuses: where it is older than Linux 5.19, and
  // where a container is not allowed to.
  explicit FileQueue(std::size_t capacity);
  FileQueue(const FileQueue&) = delete;
  FileQueue& operator=(const FileQueue&) = delete;
  // Waits for the files that are being read.
  ~FileQueue();

  std::size_t capacity() const;
  // Asked for and not yet taken.
  std::size_t size() const;
  // Asks for a file. Does not wait. There must be room for it. Borrows the path until it is taken.
  void push(const std::filesystem::path& path);
  const std::filesystem::path& front() const;
  // Waits for the file that was asked for first. Its bytes are valid until the next one is taken. Throws Error naming
  // the path and the reason.
  std::span<const std::byte> take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loadline
