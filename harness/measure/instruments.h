// What is read of the machine beside the trials: set up once for a run.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "harness/measure/observer.h"
#include "harness/monitor/counters.h"
#include "harness/monitor/energy.h"
#include "harness/monitor/gpu_library.h"
#include "harness/monitor/monitor.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// Gives trials whose GPUs lack energy counters the integral of their power, if a monitor sampled all `gpus`.
void add_energy_by_power(Result& result, std::size_t gpus);

// One thread, that of the run.
class Instruments {
 public:
  // Opens what there is: counters of energy always, all else as it is asked for.
  explicit Instruments(const RunOptions& options);

  // From now on trials of this run have their energy read and their events counted. Must outlive the run.
  void attach(RunContext& context) const;
  // Begins to watch the machine, where that was asked for, for a run over the data of these cells; `earlier` is what a
  // run that is gone on with has of it. The context must outlive this.
  void start(const std::vector<Cell>& cells, std::optional<MonitorRecord> earlier, const RunContext& context);
  // Puts what there is so far into the result.
  void note(Result& result) const;

 private:
  std::optional<double> period_seconds_;
  GpuLibraries gpus_;
  EnergyMeter energy_;
  bool has_energy_;
  std::optional<EventCounters> counters_;
  std::unique_ptr<Monitor> monitor_;
};

}  // namespace loadline
