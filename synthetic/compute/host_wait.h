// How the host of an emulated accelerator spends its waiting time.
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

// Size of each of the two buffers that Busy::kMemory copies between: on most machines, twice 32 MiB is more than the
// last-level cache that one core can fill.
inline constexpr std::size_t kBusyHalfBytes = std::size_t{32} << 20;

// Waits asleep, or busy like a driver's thread: polling the clock or copying memory all the time. One thread.
class HostWait {
 public:
  // `clock` outlives it. Faults in the memory that Busy::kMemory uses.
  HostWait(Busy busy, Clock& clock, std::stop_token stop);

  // Returns at `time` or a little later, or as soon as a stop is requested.
  void until(Time time);

  // By how much a wait may end late because of the way it waits: asleep, the timer's delay in most of a dozen sleeps,
  // which this call makes in some 7 ms; polling the clock, nothing; copying memory, twice the usual time of one piece.
  // Call it while nothing else runs. Any further lateness is caused by other threads.
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
