// Reading a curve of throughput over workers. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/judge/statistics.h"

namespace loadline {

// The trials of one worker count. Borrows the rates.
struct WorkerTrials {
  std::size_t workers;
  std::span<const double> samples_per_second;
};

struct WorkerPoint {
  std::size_t workers;
  Estimate samples_per_second;  // mean of the trials with its t interval
};

struct WorkerChoice {
  WorkerPoint fewest;  // the fewest workers whose interval overlaps that of the best
  WorkerPoint best;    // the highest mean; of equal means the one with fewer workers
};

// The headline of a worker curve. Counts without trials are passed over; no trials at all give no choice. A count with
// one trial has no interval and stands for its value alone. The points may come in any order. Throws Error on a rate
// that is not finite.
std::optional<WorkerChoice> fewest_sufficient(std::span<const WorkerTrials> curve);

}  // namespace loadline
