// How fast a loader fills batches without a drain. Pure, safe from any thread.
#pragma once

#include <vector>

#include "harness/result/result.h"

namespace loadline {

// Samples per second, one rate per trial.
struct Filling {
  std::vector<double> rates;
  bool measured = false;  // by Trial::fill; otherwise the rates are a lower bound
};

// L of one configuration. FULL with a compute that reads nothing on the host can be faster than IO, whose sink reads
// every line, but never faster than L. Where no trial of IO has a fill (cold trials, results of older versions), the
// rates are those of IO or FULL, whichever has the higher mean: the loader fills at least that much. Pilots do not
// count. `io` and `full` may be null; there are no rates where neither has trials.
Filling filling_of(const CellResult* io, const CellResult* full);

}  // namespace loadline
