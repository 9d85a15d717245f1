#include "synthetic/compute/host_wait.h"

#include <cstring>
#include <utility>

namespace loadline {

HostWait::HostWait(Busy busy, Clock& clock, std::stop_token stop) : busy_(busy), clock_(clock), stop_(std::move(stop)) {
  if (busy_ == Busy::kMemory) memory_.emplace(2 * kBusyHalfBytes);
}

void HostWait::until(Time time) {
  if (busy_ == Busy::kNone) {
    if (clock_.now() < time) clock_.sleep_until(time, stop_);
    return;
  }
  while (!stop_.stop_requested() && clock_.now() < time) {
    if (busy_ == Busy::kMemory) copy_piece();
  }
}

void HostWait::copy_piece() {
  constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  static_assert(kBusyHalfBytes % kPieceBytes == 0);
  std::byte* const from = memory_->bytes().data() + at_;
  std::memcpy(from + kBusyHalfBytes, from, kPieceBytes);
  asm volatile("" : : : "memory");  // the copy counts as read
  at_ = (at_ + kPieceBytes) % kBusyHalfBytes;
}

}  // namespace loadline
