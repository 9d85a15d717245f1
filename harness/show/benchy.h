// Results as benchy, NERSC's loader benchmark for PyTorch (github.com/romerojosh/benchy), writes them, for scripts that
// were made for it. Pure functions.
//
// benchy has one loader: of a result it is what is recommended for its first workload, or else the fastest. Its figures
// are those of all ranks together, taken by each rank to be its own times their number, and so they are here. It has
// the rate of every iteration, which loadline does not keep: `rates` is an empty list for each trial,
// `avg_iter_throughput` null.
#pragma once

#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// Its JSON file: "nranks", and for each of "IO", "SYNTHETIC" and "FULL" that has trials "rates",
// "avg_iter_throughput", "trial_throughput" (samples/s) and "trial_time" (seconds), a value a trial. Throws Error where
// there are no such trials.
std::string benchy_json(const Result& result, const Judgement& judgement);

// The lines that it prints at its end, one for each of these: mean and, as it has them, standard deviations of the
// population (n, not n - 1). Throws as benchy_json().
std::string benchy_summary(const Result& result, const Judgement& judgement);

}  // namespace loadline
