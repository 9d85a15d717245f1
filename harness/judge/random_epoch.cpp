#include "harness/judge/random_epoch.h"

#include <algorithm>
#include <cmath>

namespace loadline {

double samples_per_second_of(const RandomEpoch& epoch) {
  const double read = epoch.samples / epoch.samples_per_second_read;  // seconds
  const double fill = 1 / epoch.samples_per_second_filled;            // seconds a sample
  // Where the derivative of read (1 - exp(-n / blocks)) + (samples - n) fill is 0.
  const double n = std::clamp(-epoch.blocks * std::log(fill * epoch.blocks / read), 0.0, epoch.samples);
  return epoch.samples / (-read * std::expm1(-n / epoch.blocks) + (epoch.samples - n) * fill);
}

}  // namespace loadline
