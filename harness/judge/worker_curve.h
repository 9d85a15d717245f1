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
  // What each worker does, relative to one worker alone: X(N) / (N X(1)), of the geometric means. At one worker it is
  // 1, with an interval of zero width; absent without trials of one worker, or if the loader has no workers to count.
  std::optional<Estimate> efficiency = std::nullopt;
};

// The points of a curve by ascending workers; where several share a count, the fastest first. Skips counts without
// trials; a count with a single trial has no interval. The trials may come in any order. Throws Error on a rate that
// is not positive and finite.
std::vector<WorkerPoint> worker_curve(std::span<const WorkerTrials> curve);

}  // namespace loadline
