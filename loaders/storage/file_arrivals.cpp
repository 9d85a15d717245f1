#include "loaders/storage/file_arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <string_view>
#include <thread>
#include <utility>

#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/storage/file_contents.h"

namespace loadline {
namespace {

constexpr std::size_t kArenaLineBytes = 64;

// How often the system may say that it has no room for now.
constexpr int kMostSubmitTries = 100'000;

// Steps that the system reports for a file: the end of its read and of its close.
constexpr std::uint8_t kStepsTold = 2;

}  // namespace

ByteArena::ByteArena(std::size_t bytes, std::size_t most_pieces)
    : memory_(contents_memory(rounded(bytes))), begin_(memory_.get()) {
  gaps_.reserve(most_pieces + 1);
  gaps_.push_back({0, rounded(bytes)});
}

std::size_t ByteArena::rounded(std::size_t bytes) {
  return (bytes + kArenaLineBytes - 1) / kArenaLineBytes * kArenaLineBytes;
}

std::span<std::byte> ByteArena::lend(std::size_t bytes) {
  const std::size_t wanted = rounded(bytes);
  const auto found = std::ranges::find_if(gaps_, [&](const Gap& gap) { return gap.end - gap.begin >= wanted; });
  if (found == gaps_.end()) return {};
  const std::size_t begin = found->begin;
  found->begin += wanted;
  if (found->begin == found->end) gaps_.erase(found);
  return {begin_ + begin, wanted};
}

void ByteArena::give_back(std::span<std::byte> piece) {
  const auto begin = static_cast<std::size_t>(piece.data() - begin_);
  const std::size_t end = begin + piece.size();
  const auto after = std::ranges::lower_bound(gaps_, begin, {}, &Gap::begin);
  const bool joins_before = after != gaps_.begin() && (after - 1)->end == begin;
  const bool joins_after = after != gaps_.end() && after->begin == end;
  if (joins_before && joins_after) {
    (after - 1)->end = after->end;
    gaps_.erase(after);
  } else if (joins_before) {
    (after - 1)->end = end;
  } else if (joins_after) {
    after->begin = begin;
  } else {
    gaps_.insert(after, {begin, end});
  }
}

FileArrivals::FileArrivals(const FileArrivalsOptions& options)
    : FileArrivals(options, make_file_ring(ring_places(options.requests), FileOpening::kAside)) {}

FileArrivals::FileArrivals(const FileArrivalsOptions& options, std::unique_ptr<FileRing> ring)
    : ring_(std::move(ring)),
      requests_(options.requests),
      arena_(std::max(options.bytes, contents_bytes(options.most_bytes)), options.most_files),
      places_(options.most_files),
      free_places_(options.most_files),
      place_of_(ring_places(options.requests), kNone),
      steps_left_(ring_places(options.requests)),
      free_ring_places_(ring_places(options.requests)) {
  for (Place& place : places_) place.path.reserve(kUsualPathBytes);
  std::iota(free_places_.rbegin(), free_places_.rend(), 0U);
  std::iota(free_ring_places_.rbegin(), free_ring_places_.rend(), 0U);
}

FileArrivals::~FileArrivals() {
  int tries = 0;
  while (steps_in_flight_ > 0) {
    FileStepDone done;
    const int result = ring_->wait(done);
    if (result == -EINTR) continue;
    if (result == 0) {
      try {
        note(done);
        continue;
      } catch (const Error&) {
      }
    } else if (result == -EAGAIN && ++tries < kMostSubmitTries) {
      std::this_thread::yield();
      continue;
    }
    keep_for_good(arena_.release());
    break;
  }
}

void FileArrivals::check_whole() const {
  if (!broken_.empty()) throw Error(broken_);
}

void FileArrivals::fail(const std::string& why) {
  broken_ = why;
  throw Error(broken_);
}

bool FileArrivals::ask(std::string_view path, std::size_t bytes, std::size_t ticket) {
  check_whole();
  full_ = false;
  if (in_flight_ == requests_ || free_ring_places_.empty()) return false;
  if (free_places_.empty()) {
    full_ = true;
    return false;
  }
  const std::uint32_t at = free_places_.back();
  Place& place = places_[at];
  place.memory = arena_.lend(contents_bytes(bytes));
  if (place.memory.empty()) {
    full_ = true;
    return false;
  }
  place.path.assign(path);
  place.expected_bytes = bytes;
  place.ticket = ticket;
  place.opened = 0;
  place.read = 0;
  const std::uint32_t ring_place = free_ring_places_.back();
  if (!ring_->prepare(ring_place, place.path, place.memory))
    fail("cannot read files by io_uring: its queue has no room");
  hand_over();
  free_places_.pop_back();
  free_ring_places_.pop_back();
  place_of_[ring_place] = at;
  steps_left_[ring_place] = kStepsTold;
  steps_in_flight_ += kStepsTold;
  ++in_flight_;
  return true;
}

// All steps or none: the system would run the rest of a chain as a separate chain, before its file is open.
void FileArrivals::hand_over() {
  for (int tries = 0; tries < kMostSubmitTries; ++tries) {
    const int taken = ring_->submit();
    if (taken == static_cast<int>(kFileSteps)) return;
    if (taken > 0) {
      // The memory of this file stays lent, like all other: the system may still write to it.
      keep_for_good(arena_.release());
      fail(fmt::format("cannot submit to io_uring: the system accepted {} of a file's {} steps", taken, kFileSteps));
    }
    if (taken < 0 && !is_passing(taken)) {
      fail(fmt::format("cannot submit to io_uring: {}", std::strerror(-taken)));
    }
    std::this_thread::yield();  // temporarily short of memory; there is room for all answers
  }
  fail(fmt::format("cannot submit to io_uring: {}", std::strerror(EAGAIN)));
}

// Returns the place of the file that this step completes, if any.
std::optional<std::size_t> FileArrivals::note(const FileStepDone& done) {
  if (done.place >= place_of_.size() || steps_left_[done.place] == 0) {
    fail("cannot read files by io_uring: it reports a file that was not requested");
  }
  const std::uint32_t at = place_of_[done.place];
  // A reported kOpen has failed, and then no other step is reported.
  const bool over = done.step == FileStep::kOpen;
  const std::uint8_t steps = over ? steps_left_[done.place] : std::uint8_t{1};
  steps_left_[done.place] = static_cast<std::uint8_t>(steps_left_[done.place] - steps);
  steps_in_flight_ -= steps;
  if (steps_left_[done.place] == 0) free_ring_places_.push_back(static_cast<std::uint32_t>(done.place));
  if (done.step == FileStep::kClose) return std::nullopt;
  --in_flight_;
  (over ? places_[at].opened : places_[at].read) = done.result;
  return at;
}

std::optional<FileArrivals::Arrival> FileArrivals::arrived() {
  check_whole();
  for (;;) {
    FileStepDone done;
    const int result = ring_->poll(done);
    if (result == -EAGAIN || result == -EINTR) return std::nullopt;
    if (result < 0) fail(fmt::format("cannot wait for io_uring: {}", std::strerror(-result)));
    if (const auto at = note(done)) return Arrival{.ticket = places_[*at].ticket, .place = *at};
  }
}

void FileArrivals::wait(std::chrono::nanoseconds limit) {
  const int result = ring_->wait_for_any(limit);
  if (result < 0 && result != -ETIME && result != -EINTR && result != -EAGAIN) {
    throw Error(fmt::format("cannot wait for io_uring: {}", std::strerror(-result)));
  }
}

std::span<const std::byte> FileArrivals::bytes(std::size_t at) {
  Place& place = places_[at];
  return file_contents(
      {.path = place.path, .expected_bytes = place.expected_bytes, .opened = place.opened, .read = place.read},
      place.memory, place.long_one);
}

void FileArrivals::give_back(std::size_t at) {
  Place& place = places_[at];
  arena_.give_back(place.memory);
  place.memory = {};
  place.long_one = {};
  free_places_.push_back(static_cast<std::uint32_t>(at));
}

}  // namespace loadline
