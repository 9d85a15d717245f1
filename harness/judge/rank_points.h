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

// A configuration of a result, in the mode of its curve, in which it has trials. Borrows result and configuration.
struct RankMeasurement {
  const Result& result;
  const Configuration& configuration;
  Mode mode;
};

// A compute's devices, from its name and parameters.
struct ComputeDevices {
  std::size_t devices = 1;     // per process
  bool share_a_batch = false;  // each gets a part of the batch, rather than a batch of its own
};
ComputeDevices devices_of(const std::string& compute);

// CPUs that the ranks of a result may run on, each once; those of its process if it has no ranks.
std::size_t cpus_in_all(const Result& result);

// The most ranks of a result that may run on the same CPU; 1 where each has CPUs of its own.
std::size_t ranks_per_cpu(const Result& result);

// Whether the cell of this index exists and has trials that count.
bool has_trials_of(const Result& result, std::optional<std::size_t> cell);

// One point per measurement, relative to the first, which has the fewest ranks.
std::vector<RankPoint> rank_points(std::span<const RankMeasurement> measured);

}  // namespace loadline
