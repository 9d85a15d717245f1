// Whole files, many at a time, by io_uring (J. Axboe: "Efficient IO with io_uring"), for storage that answers late but
// can answer many at once.
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
  std::size_t capacity = 64;   // files asked for and not yet taken
  std::size_t most_bytes = 0;  // of the longest file
};

// Files are opened, read and closed by the system alone, whichever is ready first, and taken in the order they were
// asked for. One thread. All memory is had by the constructor; it takes up room only where files were read into it.
//
// When the system does not take a request or does not tell of one that is done, the queue is broken: the call that met
// it throws Error naming the operation, and so does every later one.
class FileQueue {
 public:
  // Throws Error when memory is refused, or the ring (make_file_ring()).
  explicit FileQueue(const FileQueueOptions& options);
  // On a ring of the caller's, of `options.capacity + 1` places.
  FileQueue(const FileQueueOptions& options, std::unique_ptr<FileRing> ring);
  FileQueue(const FileQueue&) = delete;
  FileQueue& operator=(const FileQueue&) = delete;
  // Waits for the files that are being read and for nothing else.
  ~FileQueue();

  std::size_t capacity() const { return places_.size() - 1; }
  // Asked for and not yet taken, at most the capacity.
  std::size_t size() const { return size_; }

  // Asks for a file, which was `bytes` long when it was last seen; one whose length is another now is read as it is.
  // Does not wait, unless the system has no room. Throws Error when as many files are asked for already as can be.
  void push(std::string_view path, std::size_t bytes);
  // Waits for the file that was asked for first. Its bytes are valid until the next one is taken. Throws Error naming
  // the path and the reason; the next file can be taken then.
  std::span<const std::byte> take();
  // Forgets all that was asked for, when it has been waited for. Throws Error when the queue is broken.
  void clear();

 private:
  struct Place {
    std::string path;  // its memory is used again
    std::size_t expected_bytes = 0;
    std::array<int, kFileSteps> results{};
    unsigned in_flight = 0;  // steps that the system has and is not done with
  };

  std::span<std::byte> memory_of(std::size_t place) { return {memory_.get() + place * place_bytes_, place_bytes_}; }
  void hand_over(Place& place);
  int wait_for_one();
  void wait_for(const Place& place);
  std::span<const std::byte> read_on(const Place& place, std::span<std::byte> begun);
  void check_whole() const;
  [[noreturn]] void fail(const std::string& why);

  std::unique_ptr<FileRing> ring_;
  std::size_t place_bytes_;
  std::unique_ptr<std::byte[]> memory_;
  std::vector<Place> places_;        // one more than can be asked for: the bytes that were taken last stay
  std::vector<std::byte> long_one_;  // the file taken last, where it is longer than a place
  std::size_t first_ = 0;            // place of the file that is taken next
  std::size_t size_ = 0;
  std::size_t in_flight_ = 0;  // steps of all places
  std::string broken_;         // why; empty: it is not
};

}  // namespace loadline
