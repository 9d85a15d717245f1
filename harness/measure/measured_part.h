// The timed part of a trial, with everything recorded about it.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "harness/measure/loop.h"
#include "harness/measure/rig.h"
#include "harness/measure/steady.h"
#include "harness/measure/trial.h"
#include "harness/monitor/counters.h"
#include "harness/monitor/energy.h"
#include "harness/result/result.h"
#include "synthetic/clock.h"

namespace loadline {

// Reads the available hardware counters, as close around a clock as possible.
class HardwareReading {
 public:
  explicit HardwareReading(const TrialOptions& options) : energy_(options.energy), counters_(options.counters) {}

  void begin_counting(const Feed& feed);
  void begin_energy();

  std::optional<EnergyUse> energy() const;
  std::optional<TrialCounters> counters();

 private:
  const EnergyMeter* energy_;
  EnergyReading before_;
  const EventCounters* counters_;
  std::optional<EventCounting> counting_;
};

struct MeasuredPart {
  TimedPart part;
  std::vector<StageSummary> stages;
  std::optional<LoaderStages> loader_stages;
  Usage usage;
  Time began{};
  std::optional<EnergyUse> energy;
  std::optional<TrialCounters> counters;
};

// What the feed, the sink and the process had done when the clock started.
struct AtStart {
  std::vector<StageTime> stages;
  std::vector<WorkerTimes> workers;
  UsageReading usage;
};

// Records in `measured`, whose part has just ended, what was done since its start.
void record_end(const Rig& rig, const Feed& feed, const Sink& sink, const AtStart& start, HardwareReading& hardware,
                MeasuredPart& measured);

// How long the timed part is: as the options say, but a cold one has at most its epoch, or one round.
Length length_of(const Rig& rig, const Sink& sink, const TrialOptions& options);

// What recurs in the batches of this loader.
Cycles cycles_of(const Rig& rig);
// The same, with the passes of a loader that begins each anew: in whole ones this takes as much time as it does in a
// job.
Cycles cycles_of(const Rig& rig, const Feed& feed);

using RunPart = TimedPart (*)(Feed&, Sink&, const Clock&, const Length&, const std::stop_token&);

// Times a part by `run`, after the stretch `before_it` of the same feed. Ranks start it together; its stretch is not
// complete if one of them has left, or when stopped.
MeasuredPart measure_part(RunPart run, const Rig& rig, Feed& feed, Sink& sink, const TrialOptions& options,
                          const Stretch& before_it, const Clock& clock, const std::stop_token& stop);

}  // namespace loadline
