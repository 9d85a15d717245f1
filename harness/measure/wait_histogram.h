// How long the consumer waited, batch by batch, in fixed memory.
#pragma once

#include <array>
#include <cstdint>

#include "synthetic/clock.h"

namespace loadline {

// Counts durations from 1 ns to 292 years in bins no wider than 1/64 of their value, so recording never allocates. A
// percentile is exact to 0.8 %, the largest to the nanosecond.
class WaitHistogram {
 public:
  void add(Time wait);

  std::uint64_t count() const { return count_; }
  Time largest() const { return largest_; }
  Time total() const { return total_; }
  // The smallest duration that at least this share of the recorded ones do not exceed; `share` in (0, 1]. Zero if
  // nothing was recorded.
  Time percentile(double share) const;

 private:
  static constexpr unsigned kSubBits = 6;
  static constexpr std::size_t kBins = (64 - kSubBits) << kSubBits;

  static std::size_t bin_of(std::uint64_t value);
  static std::uint64_t middle_of(std::size_t bin);

  std::array<std::uint32_t, kBins> bins_{};
  std::uint64_t count_ = 0;
  Time largest_{};
  Time total_{};
};

}  // namespace loadline
