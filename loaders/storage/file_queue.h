// Reads whole files, many at a time, by io_uring (J. Axboe: "Efficient IO with io_uring"), for storage with high
// latency that serves many requests at once.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/storage/file_ring.h"

namespace loadline {

struct FileQueueOptions {
  std::size_t capacity = 64;   // files requested and not yet taken
  std::size_t most_bytes = 0;  // bytes of the longest file
};

// The system alone opens, reads and closes the files, whichever is ready first; they are taken in the order in which
// they were requested. One thread. The constructor reserves all memory; it occupies RAM only where files were read
// into it.
//
// If the system refuses a request or fails to report a finished one, the queue is broken: the call that notices
// throws Error naming the operation, and so does every later call.
class FileQueue {
 public:
  // Throws Error if memory or the ring is refused (make_file_ring()).
  explicit FileQueue(const FileQueueOptions& options);
  // Uses the caller's ring, which has `options.capacity + 1` places.
  FileQueue(const FileQueueOptions& options, std::unique_ptr<FileRing> ring);
  FileQueue(const FileQueue&) = delete;
  FileQueue& operator=(const FileQueue&) = delete;
  // Waits only for the files that are being read.
  ~FileQueue();

  std::size_t capacity() const { return places_.size() - 1; }
  // Files requested and not yet taken, at most the capacity.
  std::size_t size() const { return size_; }

  // Requests a file that was `bytes` long when last seen; if its length has changed, it is read as it is now. Does
  // not wait unless the system has no room. Throws Error if the queue is full.
  void push(std::string_view path, std::size_t bytes);
  // Waits for the file that was requested first. Its bytes are valid until the next one is taken. Throws Error naming
  // the path and the reason; the next file can still be taken.
  std::span<const std::byte> take();
  // Waits for all requested files and forgets them. Throws Error if the queue is broken.
  void clear();

 private:
  struct Place {
    std::string path;  // its memory is reused
    std::size_t expected_bytes = 0;
    std::array<int, kFileSteps> results{};
    unsigned in_flight = 0;  // steps that the system has not finished
  };

  std::span<std::byte> memory_of(std::size_t place) { return {memory_.get() + place * place_bytes_, place_bytes_}; }
  void hand_over(Place& place);
  int wait_for_one();
  void wait_for(const Place& place);
  void check_whole() const;
  [[noreturn]] void fail(const std::string& why);

  std::unique_ptr<FileRing> ring_;
  std::size_t place_bytes_;
  std::unique_ptr<std::byte[]> memory_;
  std::vector<Place> places_;        // one more than the capacity, because the bytes taken last stay valid
  std::vector<std::byte> long_one_;  // the file taken last, if it is longer than a place
  std::size_t first_ = 0;            // place of the file to take next
  std::size_t size_ = 0;
  std::size_t in_flight_ = 0;  // steps of all places
  std::string broken_;         // the reason; empty if it works
};

}  // namespace loadline
