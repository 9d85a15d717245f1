#include "loaders/storage/file_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/storage/file_contents.h"

namespace loadline {
namespace {

// How often the system may say that it has no room for now while it has nothing to finish first.
constexpr int kMostTries = 1000;

}  // namespace

FileQueue::FileQueue(const FileQueueOptions& options) : FileQueue(options, make_file_ring(options.capacity + 1)) {}

FileQueue::FileQueue(const FileQueueOptions& options, std::unique_ptr<FileRing> ring)
    : ring_(std::move(ring)),
      place_bytes_(contents_bytes(options.most_bytes)),
      memory_(contents_memory((options.capacity + 1) * place_bytes_)),
      places_(options.capacity + 1) {
  for (Place& place : places_) place.path.reserve(kUsualPathBytes);
  if (options.most_bytes >= place_bytes_) long_one_.reserve(options.most_bytes);
}

FileQueue::~FileQueue() {
  while (in_flight_ > 0) {
    if (wait_for_one() == 0) continue;
    keep_for_good(std::move(memory_));
    break;
  }
}

void FileQueue::check_whole() const {
  if (!broken_.empty()) throw Error(broken_);
}

void FileQueue::fail(const std::string& why) {
  broken_ = why;
  throw Error(broken_);
}

void FileQueue::push(std::string_view path, std::size_t bytes) {
  check_whole();
  if (size_ == capacity()) {
    throw Error(fmt::format("cannot read {} ahead: {} files are being read already", path, size_));
  }
  const std::size_t at = (first_ + size_) % places_.size();
  Place& place = places_[at];
  place.path.assign(path);
  place.expected_bytes = bytes;
  if (!ring_->prepare(at, place.path, memory_of(at))) fail("cannot read files by io_uring: its queue has no room");
  hand_over(place);
  ++size_;
}

// All steps or none: the system would run the rest of a chain as a separate chain, before its file is open.
void FileQueue::hand_over(Place& place) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const int taken = ring_->submit();
    if (taken == static_cast<int>(kFileSteps)) {
      place.in_flight = kFileSteps;
      in_flight_ += kFileSteps;
      return;
    }
    if (taken > 0) {
      const auto steps = std::min<std::size_t>(static_cast<std::size_t>(taken), kFileSteps);
      place.in_flight = static_cast<unsigned>(steps);
      in_flight_ += steps;
      fail(fmt::format("cannot submit to io_uring: the system accepted {} of a file's {} steps", taken, kFileSteps));
    }
    if (taken < 0 && !is_passing(taken)) {
      fail(fmt::format("cannot submit to io_uring: {}", std::strerror(-taken)));
    }
    // The system has no room until it finishes something.
    if (taken != -EINTR && in_flight_ > 0) {
      if (const int result = wait_for_one(); result < 0) {
        fail(fmt::format("cannot wait for io_uring: {}", std::strerror(-result)));
      }
      tries = 0;
    } else if (taken != -EINTR) {
      std::this_thread::yield();
    } else {
      --tries;  // a signal says nothing about the system's room
    }
  }
  fail(fmt::format("cannot submit to io_uring: {}", std::strerror(EAGAIN)));
}

// Returns 0 when a step was done, or the system's error number below 0.
int FileQueue::wait_for_one() {
  for (int tries = 0;;) {
    FileStepDone done;
    const int result = ring_->wait(done);
    if (result == 0) {
      if (done.place >= places_.size() || places_[done.place].in_flight == 0) return -EBADMSG;
      Place& place = places_[done.place];
      place.results.at(static_cast<std::size_t>(done.step)) = done.result;
      --place.in_flight;
      --in_flight_;
      return 0;
    }
    if (result == -EINTR) continue;
    if (!is_passing(result) || ++tries == kMostTries) return result;
    std::this_thread::yield();
  }
}

void FileQueue::wait_for(const Place& place) {
  while (place.in_flight > 0) {
    if (const int result = wait_for_one(); result < 0) {
      fail(fmt::format("cannot wait for io_uring: {}", std::strerror(-result)));
    }
  }
}

std::span<const std::byte> FileQueue::take() {
  check_whole();
  if (size_ == 0) throw Error("cannot take a file: none was requested");
  const Place& place = places_[first_];
  wait_for(place);
  const auto memory = memory_of(first_);
  first_ = (first_ + 1) % places_.size();
  --size_;
  return file_contents({.path = place.path,
                        .expected_bytes = place.expected_bytes,
                        .opened = place.results[static_cast<std::size_t>(FileStep::kOpen)],
                        .read = place.results[static_cast<std::size_t>(FileStep::kRead)]},
                       memory, long_one_);
}

void FileQueue::clear() {
  check_whole();
  while (size_ > 0) {
    wait_for(places_[first_]);
    first_ = (first_ + 1) % places_.size();
    --size_;
  }
}

}  // namespace loadline
