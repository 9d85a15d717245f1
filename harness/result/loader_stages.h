// Where the time of a loader's workers went while the clock of a trial ran.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "loaders/worker_clock.h"

namespace loadline {

// Seconds in a stage, one number a worker; of a loader that works on the consumer's thread one.
struct LoaderStage {
  WorkerStage stage = WorkerStage::kIdle;
  std::vector<double> seconds;
};

// All stages that the loader can tell, at least one, each with as many workers. For each worker they make up the time.
struct LoaderStages {
  std::vector<LoaderStage> stages;

  std::size_t workers() const { return stages.front().seconds.size(); }
  // Whether a loader that is not ours is only known from outside.
  bool foreign() const;
};

// All that there are, in the order of a batch.
std::span<const WorkerStage> stages_in_order();

// Of two looks at the workers of one feed. Without a look before: since the workers were made. std::nullopt where the
// loader cannot tell.
std::optional<LoaderStages> loader_stages_between(std::span<const WorkerTimes> before,
                                                  std::span<const WorkerTimes> after);

// What is known of a loader that is not ours, on the consumer's thread: how long it was in next(). The rest of the time
// is the consumer's.
LoaderStages loader_stages_of_next_calls(double seconds_in_them, double wall_seconds);

}  // namespace loadline
