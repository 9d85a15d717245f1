// What a FileQueue asks of the system and what it hears back: io_uring behind an interface, so that tests can stand in
// for a system that fails, answers late or reads less than it was asked for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace loadline {

// What is kept for a path beforehand; a longer one is allocated when it comes.
inline constexpr std::size_t kUsualPathBytes = 200;

// The steps of one file, each done by the system alone when the one before it is. A file that cannot be opened has the
// other two cancelled; it is closed whatever its read came to.
enum class FileStep : std::uint8_t { kOpen, kRead, kClose };

inline constexpr std::size_t kFileSteps = 3;

// One step is over.
struct FileStepDone {
  std::size_t place = 0;  // that the file was prepared for
  FileStep step = FileStep::kOpen;
  int result = 0;  // of the system call: bytes of a read; an error number below 0
};

// Who opens a file.
enum class FileOpening : std::uint8_t {
  kAtOnce,  // the thread that submits, where the file system does not say that it has to wait; FUSE and network ones do
            // not say so, and then that thread waits
  kAside,   // a thread of the system's; it tells of a file's opening only where that failed, and then of nothing else
};

// The functions return the system's result, which the caller interprets. One thread.
class FileRing {
 public:
  virtual ~FileRing() = default;

  // Writes down the three steps of one file for submit() to hand over: at most one file a place at a time. `path` and
  // `out` are borrowed until all three are done. False where there is no room.
  virtual bool prepare(std::size_t place, const std::string& path, std::span<std::byte> out) = 0;
  // Hands over what was written down and not handed over yet. How many steps the system took, or an error number below
  // 0.
  virtual int submit() = 0;
  // Waits until a step is over and tells which; 0, or an error number below 0.
  virtual int wait(FileStepDone& done) = 0;
  // The same without waiting: -EAGAIN where none is over.
  virtual int poll(FileStepDone& done) = 0;
  // Waits until poll() has one, for `limit` at the most: -ETIME then. May run beside prepare() and submit().
  virtual int wait_for_any(std::chrono::nanoseconds limit) = 0;
};

// By io_uring, for files in places 0 to `places` - 1. Throws Error when the system refuses: where it is older than
// Linux 5.19, and where a container is not allowed to.
std::unique_ptr<FileRing> make_file_ring(std::size_t places, FileOpening opening = FileOpening::kAtOnce);

}  // namespace loadline
