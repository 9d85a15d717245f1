// Where the time of a loader's workers went while the clock of a trial ran.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "loaders/worker_clock.h"

namespace loadline {

// Seconds in a stage, one number per worker; a single number for a loader on the consumer's thread.
struct LoaderStage {
  WorkerStage stage = WorkerStage::kIdle;
  std::vector<double> seconds;
};

// All stages that the loader reports, at least one, each with the same number of workers. For each worker they add up
// to its time.
struct LoaderStages {
  std::vector<LoaderStage> stages;

  std::size_t workers() const { return stages.front().seconds.size(); }
  // Whether the loader is not one of ours, so only the time in next() is known.
  bool foreign() const;
};

// All stages, in the order in which a batch goes through them.
std::span<const WorkerStage> stages_in_order();

// The stages between two readings of the workers of one feed. If `before` is empty: since the workers were made.
// std::nullopt where the loader does not report them.
std::optional<LoaderStages> loader_stages_between(std::span<const WorkerTimes> before,
                                                  std::span<const WorkerTimes> after);

// What is known about a loader that is not ours, on the consumer's thread: how long it spent in next(). The rest of
// the time is the consumer's.
LoaderStages loader_stages_of_next_calls(double seconds_in_them, double wall_seconds);

}  // namespace loadline
