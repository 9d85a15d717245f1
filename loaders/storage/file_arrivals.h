// Whole files, many at a time, by io_uring, in the order in which storage answers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/storage/file_ring.h"

namespace loadline {

// A block of memory that is lent in pieces of any length. One thread.
class ByteArena {
 public:
  // Throws Error when memory is refused. Allocates nothing later, while at most `most_pieces` are lent.
  ByteArena(std::size_t bytes, std::size_t most_pieces);

  // The first place that is long enough, in whole cache lines; empty where there is none. `bytes` is above 0.
  std::span<std::byte> lend(std::size_t bytes);
  // What lend() gave, as a whole.
  void give_back(std::span<std::byte> piece);

  // What lend() takes for so many.
  static std::size_t rounded(std::size_t bytes);
  // For memory that the system may still write to at any time: it is never reused.
  void keep_for_good();

 private:
  struct Gap {
    std::size_t begin;
    std::size_t end;
  };

  std::unique_ptr<std::byte[]> memory_;
  std::vector<Gap> gaps_;  // in their order; no two touch
};

struct FileArrivalsOptions {
  std::size_t requests = 64;    // files that the system reads at a time
  std::size_t bytes = 0;        // of memory for files; as many as the longest file takes are always there
  std::size_t most_bytes = 0;   // of the longest file
  std::size_t most_files = 64;  // asked for and not given back; at least `requests`
};

// Files are opened, read and closed by the system alone. Threads: one at a time calls ask(), arrived() and give_back();
// wait() may run beside ask() and give_back(), and bytes() beside all.
//
// When the system does not take a request or does not tell of one that is done, the call that met it throws Error
// naming the operation, and so does every later one.
class FileArrivals {
 public:
  // Throws Error when memory is refused, or the ring (make_file_ring()).
  explicit FileArrivals(const FileArrivalsOptions& options);
  // On a ring of the caller's, of ring_places(options.requests) places, that opens files aside.
  FileArrivals(const FileArrivalsOptions& options, std::unique_ptr<FileRing> ring);
  FileArrivals(const FileArrivals&) = delete;
  FileArrivals& operator=(const FileArrivals&) = delete;
  // Waits for the files that are being read and for nothing else.
  ~FileArrivals();

  struct Arrival {
    std::size_t ticket;
    std::size_t place;
  };

  // Asks for a file, which was `bytes` long when it was last seen; one whose length is another now is read as it is.
  // Does not wait, unless the system has no room. False where there is
  // no room: too many files are being read, or their memory was not given back.
  bool ask(std::string_view path, std::size_t bytes, std::size_t ticket);
  // One that was read, or could not be; the first that the system tells of. None: it tells of none now.
  std::optional<Arrival> arrived();
  // Waits until the system tells of something, for `limit` at the most.
  void wait(std::chrono::nanoseconds limit);
  // Of a file that has arrived. Throws Error naming the path and the reason. Any thread, one a place.
  std::span<const std::byte> bytes(std::size_t place);
  void give_back(std::size_t place);

  std::size_t in_flight() const { return in_flight_; }
  // Whether ask() was refused last because of memory or the number of files not given back.
  bool full() const { return full_; }

  // One that has been read is still being closed by the system when the next one is asked for.
  static constexpr std::size_t ring_places(std::size_t requests) { return requests + requests / 4 + 1; }

 private:
  struct Place {
    std::string path;  // its memory is used again
    std::span<std::byte> memory;
    std::size_t expected_bytes = 0;
    std::size_t ticket = 0;
    int opened = 0;                   // an error number below 0
    int read = 0;                     // bytes; an error number below 0
    std::vector<std::byte> long_one;  // the file, where it is longer than its memory
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void hand_over();
  std::optional<std::size_t> note(const FileStepDone& done);
  void check_whole() const;
  [[noreturn]] void fail(const std::string& why);

  std::unique_ptr<FileRing> ring_;
  const std::size_t requests_;
  ByteArena arena_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_places_;
  std::vector<std::uint32_t> place_of_;   // of each place of the ring: the file that is read there, or none
  std::vector<std::uint8_t> steps_left_;  // of each place of the ring, that the system has not told of
  std::vector<std::uint32_t> free_ring_places_;
  std::size_t in_flight_ = 0;
  std::size_t steps_in_flight_ = 0;
  bool full_ = false;
  std::string broken_;  // why; empty: it is not
};

}  // namespace loadline
