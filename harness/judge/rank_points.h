// The figures of one number of ranks. A part of scaling_study.h; pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/judgement.h"
#include "harness/judge/scaling_study.h"
#include "harness/result/result.h"

namespace loadline {

// A configuration of a result, in the mode that its curve is of, which has trials. Borrows them.
struct RankMeasurement {
  const Result& result;
  const Configuration& configuration;
  Mode mode;
};

// What a compute, by its name and parameters, says of its devices.
struct ComputeDevices {
  std::size_t devices = 1;     // of a process
  bool share_a_batch = false;  // they are dealt parts of one, rather than a batch each
};
ComputeDevices devices_of(const std::string& compute);

// Whether the cell of this index is there and has trials that count.
bool has_trials_of(const Result& result, std::optional<std::size_t> cell);

// A point for each, against the first: of the fewest ranks.
std::vector<RankPoint> rank_points(std::span<const RankMeasurement> measured);

}  // namespace loadline
