#include "harness/forecast/simgrid.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

#include "loaders/error.h"
#include "loaders/system/module.h"

namespace loadline {
namespace {

const SimGridFunctions& loaded_simgrid() {
  const auto functions = reinterpret_cast<decltype(&loadline_simgrid_functions)>(
      load_module("loadline_simgrid.so", "loadline_simgrid_functions", "simulates forecasts by SimGrid"));
  const SimGridFunctions* const simgrid = functions();
  if (simgrid->version != SimGridFunctions::kVersion) {
    throw Error("cannot use loadline_simgrid.so: it belongs to another version of loadline");
  }
  return *simgrid;
}

struct PlannedNumber {
  const char* name;
  double value;
};

void check_finite(std::span<const PlannedNumber> numbers) {
  for (const PlannedNumber& one : numbers) {
    if (std::isfinite(one.value)) continue;
    throw Error(fmt::format("cannot simulate by SimGrid: {} is {}", one.name, one.value));
  }
}

// SimGrid ends the process rather than throw if a time or a size is not finite.
void check_finite(const SimulationPlan& plan) {
  const SimulatedRun& run = plan.run;
  check_finite(std::array{PlannedNumber{"the batch size", run.batch_size},
                          PlannedNumber{"the time of a batch from memory", run.hit_seconds},
                          PlannedNumber{"the time of a batch from storage", run.miss_seconds},
                          PlannedNumber{"the least time of a batch", run.least_seconds},
                          PlannedNumber{"the least share of missed samples", run.least_missed},
                          PlannedNumber{"the rate of the storage", run.storage_per_second},
                          PlannedNumber{"the rate of a node", run.node_per_second},
                          PlannedNumber{"the time of a step", run.step_seconds},
                          PlannedNumber{"the time of summing up gradients", run.reduction_seconds},
                          PlannedNumber{"the variation of steps", run.variation},
                          PlannedNumber{"the number of steps of a pace", run.pace_steps},
                          PlannedNumber{"the number of bytes that a node copies", run.copied_bytes},
                          PlannedNumber{"the storage's bytes per second", run.storage_bytes_per_second},
                          PlannedNumber{"a node's bytes per second", run.node_bytes_per_second}});
  for (const SimulatedGroup& group : plan.groups) {
    check_finite(std::array{PlannedNumber{"the number of nodes of a group", group.nodes},
                            PlannedNumber{"the number of ranks of a group", group.ranks}});
  }
  for (const SimulatedEpoch& epoch : plan.epochs) {
    check_finite(std::array{PlannedNumber{"an epoch's share of missed samples", epoch.missed},
                            PlannedNumber{"the decay of an epoch's misses", epoch.decay}});
  }
}

class SimGrid final : public Simulator {
 public:
  explicit SimGrid(const SimGridFunctions& functions) : functions_(functions) {}

  SimulatedTimes run(const SimulationPlan& plan) override {
    check_finite(plan);
    SimulatedTimes times;
    times.step_ends.resize(plan.steps());
    const char* const why = functions_.simulate(&plan.run, plan.groups.data(), plan.groups.size(), plan.epochs.data(),
                                                plan.epochs.size(), times.step_ends.data(), &times.outcome);
    if (why != nullptr) throw Error(fmt::format("cannot simulate by SimGrid: {}", why));
    return times;
  }

 private:
  const SimGridFunctions& functions_;
};

}  // namespace

std::string why_no_simgrid() {
#ifdef LOADLINE_HAVE_SIMGRID
  return "";
#else
  return "built without SimGrid; install it (Debian: libsimgrid-dev) and configure again";
#endif
}

std::string simgrid_library() {
  return loaded_simgrid().library();
}

std::unique_ptr<Simulator> make_simgrid(const std::string& option) {
  if (const std::string why = why_no_simgrid(); !why.empty()) {
    throw usage_error(fmt::format("{}: loadline was {}", option, why));
  }
  return std::make_unique<SimGrid>(loaded_simgrid());
}

}  // namespace loadline
