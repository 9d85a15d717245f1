#include "synthetic/compute/host_wait.h"

#include <algorithm>
#include <array>
#include <chrono>
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

Time HostWait::own_lateness() {
  constexpr Time kOfPiece = std::chrono::microseconds(20);  // twice the time of copying one
  if (busy_ != Busy::kNone) return busy_ == Busy::kMemory ? kOfPiece : Time(0);
  // Long enough for the CPU to enter a sleep state.
  constexpr Time kSleep = std::chrono::microseconds(500);
  std::array<Time, 12> late{};
  for (Time& each : late) {
    const Time end = clock_.now() + kSleep;
    until(end);
    each = std::max(Time(0), clock_.now() - end);
  }
  // The longest is sometimes caused by another process.
  std::ranges::sort(late);
  return late[late.size() - 2];
}

void HostWait::copy_piece() {
  constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  static_assert(kBusyHalfBytes % kPieceBytes == 0);
  std::byte* const from = memory_->bytes().data() + at_;
  std::memcpy(from + kBusyHalfBytes, from, kPieceBytes);
  asm volatile("" : : : "memory");  // makes the copy count as read
  at_ = (at_ + kPieceBytes) % kBusyHalfBytes;
}

}  // namespace loadline
