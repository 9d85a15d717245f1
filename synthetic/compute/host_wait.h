// How the host of an emulated accelerator spends the time for which it has to wait.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>

#include "loaders/system/memory.h"
#include "synthetic/clock.h"

namespace loadline {

enum class Busy : std::uint8_t { kNone, kCpu, kMemory };

inline constexpr std::array<std::string_view, 3> kBusyWords{"none", "cpu", "memory"};  // in the order of Busy

// Of each of the two buffers that Busy::kMemory copies between: twice 32 MiB are more than the last-level cache that
// one core can fill holds on most machines.
inline constexpr std::size_t kBusyHalfBytes = std::size_t{32} << 20;

// Waits asleep, or as a driver's thread does: looking at the clock without a pause, or copying memory all the while.
// One thread.
class HostWait {
 public:
  // `clock` outlives it. The memory that Busy::kMemory goes through is faulted in here.
  HostWait(Busy busy, Clock& clock, std::stop_token stop);

  // Returns at `time` or a little later, or as soon as a stop is requested.
  void until(Time time);

  // By how much a wait ends late for no other reason than how it is done: asleep, what the timer took to wake this
  // thread in most of a dozen sleeps, made by this call in some 7 ms; busy, a piece of what it is busy with. To be
  // asked for while nothing else runs. What is beyond it is another thread's doing.
  Time own_lateness();

 private:
  void copy_piece();

  Busy busy_;
  Clock& clock_;
  std::stop_token stop_;
  std::optional<HugeMemory> memory_;
  std::size_t at_ = 0;  // where the next piece begins
};

}  // namespace loadline
