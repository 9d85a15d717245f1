#include "loaders/storage/file_ring.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "loaders/error.h"

namespace loadline {
namespace {

void check(int result) {
  if (result >= 0) return;
  // Before Linux 5.12 its queues counted as locked memory.
  throw Error(fmt::format("cannot read files by io_uring: {}{}; use --read pread, with more --workers",
                          std::strerror(-result), result == -ENOMEM ? " (RLIMIT_MEMLOCK, or no memory)" : ""));
}

class SystemRing final : public FileRing {
 public:
  SystemRing(std::size_t places, FileOpening opening) : opening_(opening) {
    // If one step of a chain is refused at once, each of the others still gets an answer.
    check(::io_uring_queue_init(static_cast<unsigned>(kFileSteps * places), &ring_, IORING_SETUP_SUBMIT_ALL));
    try {
      check(::io_uring_register_files_sparse(&ring_, static_cast<unsigned>(places)));
      // Operations that would block run on threads of the system, by default at most four per CPU: with two CPUs and
      // 16 reads in flight, half of them waited for the other half.
      unsigned most_threads[2] = {static_cast<unsigned>(places), 0};  // for files; 0: unchanged
      check(::io_uring_register_iowq_max_workers(&ring_, most_threads));
    } catch (...) {
      ::io_uring_queue_exit(&ring_);
      throw;
    }
  }
  SystemRing(const SystemRing&) = delete;
  SystemRing& operator=(const SystemRing&) = delete;
  ~SystemRing() override { ::io_uring_queue_exit(&ring_); }

  bool prepare(std::size_t place, const std::string& path, std::span<std::byte> out) override {
    if (::io_uring_sq_space_left(&ring_) < kFileSteps) return false;
    const auto file = static_cast<unsigned>(place);

    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    ::io_uring_prep_openat_direct(entry, AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK, 0, file);
    entry->flags |= IOSQE_IO_LINK;
    if (opening_ == FileOpening::kAside) entry->flags |= IOSQE_ASYNC | IOSQE_CQE_SKIP_SUCCESS;
    entry->user_data = tag(place, FileStep::kOpen);

    entry = ::io_uring_get_sqe(&ring_);
    ::io_uring_prep_read(entry, static_cast<int>(file), out.data(), static_cast<unsigned>(out.size()), 0);
    // A file shorter than its place would end the chain, unless the link is a hard one.
    entry->flags |= IOSQE_FIXED_FILE | IOSQE_IO_HARDLINK;
    entry->user_data = tag(place, FileStep::kRead);

    entry = ::io_uring_get_sqe(&ring_);
    ::io_uring_prep_close_direct(entry, file);
    entry->user_data = tag(place, FileStep::kClose);
    return true;
  }

  int submit() override { return ::io_uring_submit(&ring_); }

  int wait(FileStepDone& done) override {
    io_uring_cqe* entry = nullptr;
    if (const int result = ::io_uring_wait_cqe(&ring_, &entry); result < 0) return result;
    done = taken(entry);
    return 0;
  }

  int poll(FileStepDone& done) override {
    io_uring_cqe* entry = nullptr;
    if (const int result = ::io_uring_peek_cqe(&ring_, &entry); result < 0) return result;
    done = taken(entry);
    return 0;
  }

  int wait_for_any(std::chrono::nanoseconds limit) override {
    io_uring_cqe* entry = nullptr;
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(limit);
    __kernel_timespec most{.tv_sec = whole.count(), .tv_nsec = (limit - whole).count()};
    // From Linux 5.11 on this does not touch the submission queue.
    return ::io_uring_wait_cqe_timeout(&ring_, &entry, &most);
  }

 private:
  FileStepDone taken(io_uring_cqe* entry) {
    const FileStepDone done{.place = entry->user_data / kFileSteps,
                            .step = static_cast<FileStep>(entry->user_data % kFileSteps),
                            .result = entry->res};
    ::io_uring_cqe_seen(&ring_, entry);
    return done;
  }

  static std::uint64_t tag(std::size_t place, FileStep step) {
    return place * kFileSteps + static_cast<std::uint64_t>(step);
  }

  const FileOpening opening_;
  io_uring ring_{};
};

}  // namespace

std::unique_ptr<FileRing> make_file_ring(std::size_t places, FileOpening opening) {
  return std::make_unique<SystemRing>(places, opening);
}

}  // namespace loadline
