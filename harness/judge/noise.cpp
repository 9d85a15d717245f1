#include "harness/judge/noise.h"

#include <algorithm>

namespace loadline {

std::optional<double> NoiseFloor::of(Mode mode) const {
  std::optional<double> largest;
  for (const Part& part : parts) {
    if (part.mode == mode) largest = std::max(largest.value_or(0), part.floor);
  }
  return largest;
}

double floor_of(const Interval& ratio) {
  // As a margin counts: 1 / 1.03 is as far from 1 as 1.03.
  return std::max(ratio.high, 1 / ratio.low) - 1;
}

}  // namespace loadline
