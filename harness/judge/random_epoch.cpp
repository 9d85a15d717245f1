#include "harness/judge/random_epoch.h"

#include <algorithm>
#include <cmath>

namespace loadline {

double samples_per_second_of(const RandomEpoch& epoch) {
  const double read = epoch.samples / epoch.samples_per_second_read;  // seconds
  const double fill = 1 / epoch.samples_per_second_filled;            // seconds a sample
  const double needing_all = epoch.blocks / epoch.blocks_per_sample;  // samples, if no two shared a block
  // Where the derivative of read (1 - exp(-n / needing_all)) + (samples - n) fill is 0.
  const double n = std::clamp(-needing_all * std::log(fill * needing_all / read), 0.0, epoch.samples);
  return epoch.samples / (-read * std::expm1(-n / needing_all) + (epoch.samples - n) * fill);
}

}  // namespace loadline
