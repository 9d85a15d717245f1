// Reading a curve of throughput over workers. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

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
  // What a worker does, beside what one does alone: X(N) / (N X(1)), of the geometric means. 1, with an interval of no
  // width, at one worker; absent where no trials of one worker were made, or a loader has no workers to count.
  std::optional<Estimate> efficiency = std::nullopt;
};

// The points of a curve by ascending workers; of several for one count the fastest first. Counts without trials are
// passed over; one with a single trial has no interval. The trials may come in any order. Throws Error on a rate that
// is not positive and finite.
std::vector<WorkerPoint> worker_curve(std::span<const WorkerTrials> curve);

}  // namespace loadline
