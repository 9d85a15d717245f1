// The interval of a rate as people read it off a chart. Pure functions, safe from any thread.
#pragma once

#include <optional>

#include "harness/judge/statistics.h"

namespace loadline {

// The 95 % t interval of a mean, taken on the logarithmic scale: from mean / f to mean * f, with f = exp(h / mean) and
// h half the width of Summary::ci95. The two agree where trials vary little; this one never passes zero, which no rate
// can. Absent for one value, and where a mean is not positive or the upper end exceeds a double.
std::optional<Interval> rate_interval(const Summary& rate);

}  // namespace loadline
