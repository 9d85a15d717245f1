#include "harness/judge/rate_interval.h"

#include <cmath>

namespace loadline {

std::optional<Interval> rate_interval(const Summary& rate) {
  if (!rate.ci95 || !(rate.mean > 0)) return std::nullopt;
  const double factor = std::exp((rate.ci95->high - rate.mean) / rate.mean);
  const Interval interval{.low = rate.mean / factor, .high = rate.mean * factor};
  if (!std::isfinite(interval.high) || !(interval.low > 0)) return std::nullopt;
  return interval;
}

}  // namespace loadline
