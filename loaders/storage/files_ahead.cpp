#include "loaders/storage/files_ahead.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "loaders/storage/file.h"
#include "loaders/storage/file_ring.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

// Few photographs exceed it.
constexpr off_t kMostFetchedBytes = off_t{4} << 20;

std::size_t allowed_files() {
  constexpr std::size_t kMost = 4096;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kMost;
  return std::min<std::size_t>(kMost, limit.rlim_cur / 4);
}

// Below 0 if it cannot be opened.
int open_and_fetch(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor >= 0) ::posix_fadvise(descriptor, 0, kMostFetchedBytes, POSIX_FADV_WILLNEED);
  return descriptor;
}

}  // namespace

OpenFileAllowance::OpenFileAllowance() : OpenFileAllowance(allowed_files()) {}

bool OpenFileAllowance::take() {
  if (left_.fetch_sub(1, std::memory_order_relaxed) > 0) return true;
  give_back();
  return false;
}

FilesAhead::FilesAhead(std::size_t capacity, OpenFileAllowance& allowance) : allowance_(allowance), places_(capacity) {
  for (Place& place : places_) place.path.reserve(kUsualPathBytes);
}

void FilesAhead::push(std::string_view path) {
  const InStage opening(WorkerStage::kOpen);
  Place& place = places_[(first_ + size_++) % places_.size()];
  place.path.assign(path);
  if (!allowance_.take()) return;
  place.descriptor = open_and_fetch(place.path);
  if (place.descriptor < 0) allowance_.give_back();
}

void FilesAhead::fetch(const std::string& path) {
  const InStage opening(WorkerStage::kOpen);
  if (const int descriptor = open_and_fetch(path); descriptor >= 0) ::close(descriptor);
}

void FilesAhead::close(Place& place) {
  if (place.descriptor < 0) return;
  ::close(place.descriptor);
  place.descriptor = -1;
  allowance_.give_back();
}

// False if anything goes wrong.
bool FilesAhead::read_whole(const Place& place, std::size_t& bytes) {
  struct stat status {};
  if (place.descriptor < 0 || ::fstat(place.descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  bytes = static_cast<std::size_t>(status.st_size);
  if (memory_.size() < bytes) memory_.resize(bytes + bytes / 4);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = ::pread(place.descriptor, memory_.data() + done, bytes - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

std::span<const std::byte> FilesAhead::take() {
  Place& place = places_[first_];
  first_ = (first_ + 1) % places_.size();
  --size_;
  std::size_t bytes = 0;
  const bool whole = read_whole(place, bytes);
  {
    const InStage closing(WorkerStage::kOpen);
    close(place);
  }
  if (whole) return std::span(memory_).first(bytes);
  // Once more, by the class that reports what is wrong.
  const File file = File::open(place.path);
  bytes = file.size_bytes();
  if (memory_.size() < bytes) memory_.resize(bytes + bytes / 4);
  file.read_exactly(0, std::span(memory_).first(bytes));
  return std::span(memory_).first(bytes);
}

void FilesAhead::clear() {
  for (; size_ > 0; --size_) {
    close(places_[first_]);
    first_ = (first_ + 1) % places_.size();
  }
}

}  // namespace loadline
