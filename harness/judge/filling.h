// What a loader fills without a drain. Pure, safe from any thread.
#pragma once

#include <vector>

#include "harness/result/result.h"

namespace loadline {

// Samples per second, one rate a trial.
struct Filling {
  std::vector<double> rates;
  bool measured = false;  // by Trial::fill; otherwise the rates are a lower bound
};

// L of one configuration. FULL on a compute that reads nothing on the host can be faster than IO, whose sink reads
// every line, but never faster than this. Where no trial of IO has a fill (cold trials, results of older versions), the
// rates are those of IO or of FULL, whichever has the higher mean: the loader fills at least that. Pilots do not count.
// `io` and `full` may be null; no rates where neither has trials.
Filling filling_of(const CellResult* io, const CellResult* full);

}  // namespace loadline
