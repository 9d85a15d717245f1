// Reads whole files, many at a time, by io_uring, and returns them in the order in which storage answers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/storage/file_ring.h"

namespace loadline {

// A block of memory, lent in pieces of any length. One thread.
class ByteArena {
 public:
  // Throws Error if memory is refused. Allocates nothing later while at most `most_pieces` are lent.
  ByteArena(std::size_t bytes, std::size_t most_pieces);

  // Lends the first gap that is long enough, in whole cache lines; empty if there is none. `bytes` is above 0.
  std::span<std::byte> lend(std::size_t bytes);
  // Takes back a whole piece from lend().
  void give_back(std::span<std::byte> piece);

  // How many bytes lend() uses for `bytes` bytes.
  static std::size_t rounded(std::size_t bytes);
  // Gives up the memory, but not the pieces of it that are lent.
  std::unique_ptr<std::byte[]> release() { return std::move(memory_); }

 private:
  struct Gap {
    std::size_t begin;
    std::size_t end;
  };

  std::unique_ptr<std::byte[]> memory_;  // null after release()
  std::byte* begin_;                     // of the memory, also after that
  std::vector<Gap> gaps_;                // in order; no two touch
};

struct FileArrivalsOptions {
  std::size_t requests = 64;    // files read at a time
  std::size_t bytes = 0;        // memory for files; always at least enough for the longest file
  std::size_t most_bytes = 0;   // bytes of the longest file
  std::size_t most_files = 64;  // requested and not yet given back; at least `requests`
};

// The system alone opens, reads and closes the files. One thread at a time calls ask(), arrived() and give_back();
// wait() may run concurrently with ask() and give_back(), and bytes() with all of them.
//
// If the system refuses a request or fails to report a finished one, the call that notices throws Error naming the
// operation, and so does every later call.
class FileArrivals {
 public:
  // Throws Error if memory or the ring is refused (make_file_ring()).
  explicit FileArrivals(const FileArrivalsOptions& options);
  // Uses the caller's ring, which has ring_places(options.requests) places and FileOpening::kAside.
  FileArrivals(const FileArrivalsOptions& options, std::unique_ptr<FileRing> ring);
  FileArrivals(const FileArrivals&) = delete;
  FileArrivals& operator=(const FileArrivals&) = delete;
  // Waits only for the files that are being read.
  ~FileArrivals();

  struct Arrival {
    std::size_t ticket;
    std::size_t place;
  };

  // Requests a file that was `bytes` long when last seen; if its length has changed, it is read as it is now. Does
  // not wait unless the system has no room. False if too many files are being read or closed, or too much memory was
  // not given back.
  bool ask(std::string_view path, std::size_t bytes, std::size_t ticket);
  // The first file that the system reports as read or failed; nullopt if it reports none now.
  std::optional<Arrival> arrived();
  // Waits up to `limit` until the system reports something.
  void wait(std::chrono::nanoseconds limit);
  // The bytes of a file that has arrived. Throws Error naming the path and the reason. Any thread, one per place.
  std::span<const std::byte> bytes(std::size_t place);
  void give_back(std::size_t place);

  // Files that the system has not reported as read or failed.
  std::size_t in_flight() const { return in_flight_; }
  // Whether the system has not reported everything yet: it may still be closing files that have arrived.
  bool busy() const { return steps_in_flight_ > 0; }
  // Whether the last ask() was refused because of memory or files not given back.
  bool full() const { return full_; }

  // More places than requests: the system is still closing one file while the next is requested.
  static constexpr std::size_t ring_places(std::size_t requests) { return requests + requests / 4 + 1; }

 private:
  struct Place {
    std::string path;  // its memory is reused
    std::span<std::byte> memory;
    std::size_t expected_bytes = 0;
    std::size_t ticket = 0;
    int opened = 0;                   // an error number below 0
    int read = 0;                     // bytes; an error number below 0
    std::vector<std::byte> long_one;  // the file, if it is longer than its memory
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
  std::vector<std::uint32_t> place_of_;   // for each place of the ring: the file read there, or none
  std::vector<std::uint8_t> steps_left_;  // for each place of the ring: steps that the system has not reported
  std::vector<std::uint32_t> free_ring_places_;
  std::size_t in_flight_ = 0;
  std::size_t steps_in_flight_ = 0;
  bool full_ = false;
  std::string broken_;  // the reason; empty if it works
};

}  // namespace loadline
