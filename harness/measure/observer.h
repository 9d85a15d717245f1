// The observer and the context that all parts of a run share.
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

// Told of a run's progress. Called between trials, never while the clock runs, on the thread of the run.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  // When its fingerprint is known.
  virtual void on_dataset(const DatasetFacts& /*facts*/) {}
  virtual void on_first_epoch(const Result& /*result*/, const CellResult& /*cell*/) {}
  // After each trial, and after each cell that failed: `result` is valid as it stands.
  virtual void on_trial(const Result& /*result*/, const CellResult& /*cell*/) {}
  // The same for each ceiling.
  virtual void on_ceiling(const Result& /*result*/, const CeilingResult& /*ceiling*/) {}
  // After each value that a search has tried; it is the last of the search's probes. For --find best, after each
  // rung.
  virtual void on_probe(const Result& /*result*/) {}
};

class EnergyMeter;
class EventCounters;
class Rig;
class JointTrials;

// Replaces datasets, loaders and computes by feeds and sinks of known behaviour, to measure cells on these. Their
// datasets have no files. One thread.
class RigSource {
 public:
  virtual ~RigSource() = default;

  // What prepare_cell() finds out about a cell; `dataset` is the index of its dataset. Throws Error as prepare_cell()
  // does.
  virtual CellResult prepare(const Cell& cell, std::size_t dataset) = 0;
  // May borrow the cell, which outlives the rig.
  virtual std::unique_ptr<Rig> make(const CellResult& cell) = 0;
};

// How long the parts of a cell took when they were tried (attempt.h). 0: not known.
struct TriedCell {
  double setup_seconds = 0;  // to make the compute
  double step_seconds = 0;   // of the compute
  double open_seconds = 0;   // to open the dataset
  double fill_seconds = 0;   // one thread, to fill a batch
};

struct RunContext {
  Clock& clock;
  std::stop_token stop;
  RunObserver& observer;
  Time start = clock.now();                      // of the run, or of this part of a continued run
  double earlier_seconds = 0;                    // that its earlier parts took
  RigSource* rigs = nullptr;                     // null: real datasets, loaders and computes
  bool try_computes = false;                     // while a run is prepared
  std::map<std::string, TriedCell> tried;        // by compute_key()
  std::vector<DatasetWatch> watches;             // as Result::datasets; those beyond the end are made when needed
  std::uint64_t* peak_rss_bytes = nullptr;       // of the process, before trials count their own; null: not wanted
  std::size_t processes = 1;                     // how many do the same on this machine at the same time
  std::function<CpuLimits()> cpu_limits;         // of the calling thread, now; absent: not watched
  const EnergyMeter* energy = nullptr;           // null: energy is not read
  const EventCounters* counters = nullptr;       // null: events are not counted
  JointTrials* joint = nullptr;                  // the other ranks of the run; null: a single process
  std::function<std::uint64_t()> times_resumed;  // how often the process continued after a stop; absent: not counted
  // Ends the process after a call in the trials of this cell that nothing ends; see ApartOptions. Absent: waits.
  std::function<void(const Cell& cell, const std::string& why)> give_up;
  std::string* hung = nullptr;  // takes a sentence about the call that hung when the run was stopped; null: not wanted
};

}  // namespace loadline
