// What goes with a run through all that measures for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/measure/watch.h"
#include "harness/result/result.h"
#include "synthetic/clock.h"

namespace loadline {

// What happens while a run goes on. Called between trials, never while the clock runs, on the thread that runs it.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  // Once its fingerprint is known.
  virtual void on_dataset(const DatasetFacts& /*facts*/) {}
  virtual void on_first_epoch(const CellResult& /*cell*/) {}
  // After each trial, and after each cell that failed: `result` is valid as it stands.
  virtual void on_trial(const Result& /*result*/, const CellResult& /*cell*/) {}
  // The same of each ceiling.
  virtual void on_ceiling(const Result& /*result*/, const CeilingResult& /*ceiling*/) {}
  // After each value that a search has tried, which is the last of its probes; after each rung of --find best.
  virtual void on_probe(const Result& /*result*/) {}
};

class EnergyMeter;
class EventCounters;
class Rig;
class Together;

// Stands in for datasets, loaders and computes, where those of a run are not real: its cells are measured on feeds and
// sinks of known behaviour. Their datasets have no files. One thread.
class RigSource {
 public:
  virtual ~RigSource() = default;

  // What prepare_cell() finds out of a cell, `dataset` being its index. Throws Error as that does.
  virtual CellResult prepare(const Cell& cell, std::size_t dataset) = 0;
  // May borrow the cell, which outlives the rig.
  virtual std::unique_ptr<Rig> make(const CellResult& cell) = 0;
};

// What it took to make a compute and run one step, when that was tried (attempt.h).
struct TriedCompute {
  double setup_seconds = 0;
  double step_seconds = 0;  // 0: not known
};

struct RunContext {
  Clock& clock;
  std::stop_token stop;
  RunObserver& observer;
  Time start = clock.now();                   // of the run, or of this part of one that is gone on with
  double earlier_seconds = 0;                 // that its earlier parts took
  RigSource* rigs = nullptr;                  // null: the cells are what they say
  bool try_computes = false;                  // when a run is prepared
  std::map<std::string, TriedCompute> tried;  // by compute_key()
  std::vector<DatasetWatch> watches;          // as Result::datasets; those beyond the end are made when they are wanted
  std::uint64_t* peak_rss_bytes = nullptr;    // of the process, until trials began to count their own; null: no matter
  std::size_t processes = 1;                  // that do the same on this machine at the same time
  std::function<CpuLimits()> cpu_limits;      // of the calling thread, now; absent: not watched
  const EnergyMeter* energy = nullptr;        // null: no trial's energy is read
  const EventCounters* counters = nullptr;    // null: nothing is counted
  Together* together = nullptr;               // with the other ranks of the run; null: this process is alone
  std::function<std::uint64_t()> times_resumed;  // how often the process continued after a stop; absent: not counted
};

}  // namespace loadline
