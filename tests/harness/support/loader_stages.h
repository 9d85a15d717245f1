// Trials whose workers have spent their time in a known way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "harness/result/result.h"

namespace loadline::test {

// Each worker, or the thread of a loader without workers, spent these shares of the wall time in these stages, and no
// time in the others.
inline void spend(Trial& trial, std::size_t workers, const std::vector<std::pair<WorkerStage, double>>& shares) {
  LoaderStages stages = *loader_stages_between({}, std::vector<WorkerTimes>(std::max<std::size_t>(1, workers)));
  for (const auto& [stage, share] : shares) {
    for (LoaderStage& one : stages.stages) {
      if (one.stage == stage) one.seconds.assign(stages.workers(), share * trial.wall_seconds);
    }
  }
  trial.loader_stages = stages;
}

}  // namespace loadline::test
