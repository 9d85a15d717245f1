// The same ranks and the same system as in model.h, simulated step by step: paces differ, a node has samples by
// chance, queues run dry. docs/forecast.md says what is simulated and what is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/forecast/basis.h"
#include "harness/forecast/simgrid_module.h"
#include "harness/forecast/system.h"

namespace loadline {

// What is simulated, as plain data.
struct SimulationPlan {
  SimulatedRun run;
  std::vector<SimulatedGroup> groups;
  std::vector<SimulatedEpoch> epochs;
  std::vector<double> epoch_samples;  // of all ranks, in the simulated steps of each epoch

  std::size_t steps() const;  // including the warm-up
};

struct SimulatedTimes {
  std::vector<double> step_ends;  // seconds, one per step
  SimulatedOutcome outcome;
};

class Simulator {
 public:
  virtual ~Simulator() = default;
  // Always called from the same thread. Throws Error on failure.
  virtual SimulatedTimes run(const SimulationPlan& plan) = 0;
};

// With `seed` 0 every rank and every batch is average. Any other seed draws the paces of ranks, what each batch
// misses, and the rates of `basis` within their intervals.
SimulationPlan plan_simulation(const Basis& basis, const System& system, std::size_t ranks, std::size_t epochs,
                               std::uint64_t seed);

// One point of a curve, from several seeds: means, and the lowest and the highest of them.
struct SimulatedPoint {
  double samples_per_second = 0;  // of all ranks, in the last epoch
  double low_per_second = 0;
  double high_per_second = 0;
  double utilisation = 0;      // share of the time in which a rank computes
  double waiting = 0;          // share in which it waits for data
  double held = 0;             // share in which it waits for the slowest rank
  double median_step = 0;      // seconds from the end of a step of all to the end of the next, in the last epoch
  double slow_step = 0;        // 95th percentile of these times
  std::vector<double> epochs;  // samples per second of all ranks, the first epoch first
  std::optional<double> staging_seconds;
};

// Runs seeds 1 to `seeds`; where there is nothing to draw, one run.
SimulatedPoint simulated_point(Simulator& simulator, const Basis& basis, const System& system, std::size_t ranks,
                               std::size_t epochs, std::size_t seeds);

// The samples per second that a node must read in one rank's first epoch, overlapped with its steps, for that epoch
// to take as long as it did. Absent where that is not known, and where nothing was slower than the step. Throws Error
// if the seconds of a read would exceed a double.
std::optional<double> cold_reads_per_second(const Basis& basis);

}  // namespace loadline
