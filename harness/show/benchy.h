// Results in the formats of benchy, NERSC's loader benchmark for PyTorch (github.com/romerojosh/benchy), for scripts
// that were made for it. Pure functions.
//
// benchy has one loader: here it is the one recommended for the result's first workload, or else the fastest. As in
// benchy, figures are those of all ranks together; there each rank multiplies its own by the number of ranks. benchy
// keeps the rate of every iteration, which loadline does not: `rates` is an empty list for each trial, and
// `avg_iter_throughput` is null.
#pragma once

#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// Its JSON file: "nranks", and for each of "IO", "SYNTHETIC" and "FULL" that has trials "rates",
// "avg_iter_throughput", "trial_throughput" (samples/s) and "trial_time" (seconds), one value per trial that is no
// pilot. Throws Error where there are no such trials.
std::string benchy_json(const Result& result, const Judgement& judgement);

// The lines that benchy prints at its end, one for each of these: means and, as in benchy, population standard
// deviations (n, not n - 1). Throws as benchy_json().
std::string benchy_summary(const Result& result, const Judgement& judgement);

}  // namespace loadline
