// io_uring behind an interface, so that tests can replace the system by one that fails, answers late or reads less
// than requested.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace loadline {

// Bytes reserved for each path; a longer path is allocated when it comes.
inline constexpr std::size_t kUsualPathBytes = 200;

// The steps for one file. The system starts each when the one before is done. If the file cannot be opened, the other
// two are cancelled; it is closed whatever the result of the read.
enum class FileStep : std::uint8_t { kOpen, kRead, kClose };

inline constexpr std::size_t kFileSteps = 3;

// One step is over.
struct FileStepDone {
  std::size_t place = 0;  // as given to prepare()
  FileStep step = FileStep::kOpen;
  int result = 0;  // of the system call: bytes read; below 0: an error number
};

// Who opens a file.
enum class FileOpening : std::uint8_t {
  kAtOnce,  // the submitting thread, unless the file system says that opening would block; FUSE and network file
            // systems do not say so, and then that thread waits
  kAside,   // a thread of the system; kOpen is reported only if it failed, and then no other step
};

// Functions return the system's result, which the caller interprets. One thread.
class FileRing {
 public:
  virtual ~FileRing() = default;

  // Queues the three steps for one file until submit(); at most one file per place at a time. Borrows `path` and
  // `out` until all three steps are done. False if there is no room.
  virtual bool prepare(std::size_t place, const std::string& path, std::span<std::byte> out) = 0;
  // Hands all queued steps to the system. Returns how many it took, or an error number below 0.
  virtual int submit() = 0;
  // Waits until a step is done and writes it to `done`; returns 0, or an error number below 0.
  virtual int wait(FileStepDone& done) = 0;
  // The same without waiting: -EAGAIN if no step is done.
  virtual int poll(FileStepDone& done) = 0;
  // Waits up to `limit` until poll() would return a step; -ETIME after that. May run concurrently with prepare() and
  // submit().
  virtual int wait_for_any(std::chrono::nanoseconds limit) = 0;
};

// A ring on io_uring, for files in places 0 to `places` - 1. Throws Error if the system refuses: before Linux 5.19,
// or in a container that forbids io_uring.
std::unique_ptr<FileRing> make_file_ring(std::size_t places, FileOpening opening = FileOpening::kAtOnce);

}  // namespace loadline
