// Which way a figure goes over several results. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/judge/statistics.h"

namespace loadline {

struct Trend {
  std::size_t count;  // of results
  Ratio per_step;     // of one to the one before
};

// The straight line through the logarithms, by least squares: the interval and p of its slope come from how far the
// results lie off it, so noise within a run is in it and so is that from run to run. None for fewer than three. Throws
// Error for what is not positive and finite.
std::optional<Trend> trend_of(std::span<const double> rates);

}  // namespace loadline
