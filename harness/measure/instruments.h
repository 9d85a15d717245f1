// The counters and the monitor that observe the machine during a run, set up once per run.
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

// Fills in the energy of trials whose GPUs lack energy counters from the integral of their power, if a monitor
// sampled all `gpus`.
void add_energy_by_power(Result& result, std::size_t gpus);

// Use it on the thread of the run only.
class Instruments {
 public:
  // Opens the energy counters, and everything else that the options request.
  explicit Instruments(const RunOptions& options);

  // Makes trials of this run read energy and count events. Must outlive the run.
  void attach(RunContext& context) const;
  // Starts the monitor, if requested, for a run over the data of these cells. `earlier`: the record of the run that
  // is continued. The context must outlive this object.
  void start(const std::vector<Cell>& cells, std::optional<MonitorRecord> earlier, const RunContext& context);
  // Puts what was recorded so far into the result.
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
