// One trial in detail: what each worker, the consumer and the compute do, and when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/measure/trial.h"
#include "harness/result/result.h"
#include "loaders/worker_clock.h"
#include "synthetic/clock.h"
#include "synthetic/compute/step_log.h"

namespace loadline {

// A batch as the consumer sees it.
struct TracedBatch {
  Time asked{};           // the consumer asks for it
  Time got{};             // the wait is over
  bool consumed = false;  // the sink was given it; false: it was taken to empty the queue
  Time taken{};           // by the sink
  Time done{};            // the sink has returned
  std::uint64_t sequence = 0;
  std::uint64_t epoch = 0;
  std::uint64_t samples = 0;
  std::optional<std::size_t> ready;  // batches left when this one was taken; nullopt: the feed has no queue
};

// The batches of a trial, in bounded memory. One thread.
class ConsumerLog {
 public:
  explicit ConsumerLog(std::size_t most) : batches_(most) { batches_.clear(); }

  void got(const TracedBatch& batch);
  // The sink's times for the latest batch.
  void consumed(Time taken, Time done);

  std::span<const TracedBatch> batches() const { return batches_; }
  std::uint64_t lost() const { return lost_; }   // batches that did not fit
  Time last_done() const { return last_done_; }  // of all batches, including lost ones

 private:
  std::vector<TracedBatch> batches_;
  std::uint64_t lost_ = 0;
  bool latest_kept_ = false;
  Time last_done_{};
};

// How much of a trial is kept, to bound the memory: later slices are lost and counted.
struct TraceLimits {
  static constexpr std::size_t kMostOfTrack = 32'768;   // slices
  static constexpr std::size_t kMostOfAll = 1'048'576;  // slices

  std::size_t of_track = kMostOfTrack;  // slices of each worker, and of consumer and compute together
};

// The limits per trial for a trace with this many tracks over all cells and trials.
TraceLimits limits_of_tracks(std::size_t tracks);

// How many tracks a cell has.
std::size_t tracks_of(const Cell& cell);

struct TrialTrace {
  std::string cell;        // its name
  std::size_t number = 0;  // among the traced trials of the cell
  Time begin{};            // when the set-up begins
  Time made{};             // when sink and feed exist
  std::vector<WorkerLog> workers;
  StepLog steps;
  ConsumerLog consumer;
  TraceLimits limits;
  Trial trial;
};

// Runs a trial as run_trial() does and records what happens. nullopt when stopped before its end. Throws as
// run_trial() does. If this build has NVTX, an attached profiler gets the ranges too.
std::optional<TrialTrace> trace_trial(const Rig& rig, const TrialOptions& options, const TraceLimits& limits,
                                      Clock& clock, const std::stop_token& stop);

}  // namespace loadline
