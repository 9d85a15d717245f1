// How a figure changes over several results. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/judge/statistics.h"

namespace loadline {

struct Trend {
  std::size_t count;  // of results
  Ratio per_step;     // of each result to the one before
};

// The straight line through the logarithms, by least squares. The interval and p of its slope come from how far the
// results lie off the line, so they include noise within a run and from run to run. std::nullopt for fewer than three
// rates. Throws Error for a rate that is not positive and finite.
std::optional<Trend> trend_of(std::span<const double> rates);

}  // namespace loadline
