// The four wirings of the one loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "harness/measure/coverage.h"
#include "harness/measure/loop.h"
#include "harness/measure/meter.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"
#include "loaders/assemble.h"
#include "loaders/datasets/dataset.h"
#include "loaders/sampler.h"
#include "loaders/transforms/image_transform.h"
#include "synthetic/clock.h"
#include "synthetic/compute/compute.h"

namespace loadline {

class EnergyMeter;
class EventCounters;
class Together;

// The slots of a cell's trials: how many, and what for.
struct SlotPlan {
  std::size_t held_batches = 0;  // by the sink
  std::size_t prefetch = 0;      // 0 without workers
  std::size_t slots = 0;
  std::size_t slot_bytes = 0;
};

// What trials need of a cell: where its feed and its sink come from. Trials ask for no more than this, so that they can
// be run on feeds and sinks whose behaviour is known. One thread.
class Rig {
 public:
  virtual ~Rig() = default;

  virtual const Cell& cell() const = 0;
  virtual const SlotPlan& slots() const = 0;
  virtual std::uint64_t batches_per_epoch() const = 0;
  virtual std::unique_ptr<Sink> make_sink(Clock& clock, const std::stop_token& stop) const = 0;
  // Starts with the first batch of an epoch, and goes on without end.
  virtual std::unique_ptr<Feed> make_feed(std::uint64_t first_epoch) const = 0;
  // The same for a trial that is traced: what they do goes into the logs, which outlive them, as far as they can tell.
  virtual std::unique_ptr<Sink> make_logged_sink(Clock& clock, const std::stop_token& stop, StepLog& /*log*/) const {
    return make_sink(clock, stop);
  }
  virtual std::unique_ptr<Feed> make_logged_feed(std::uint64_t first_epoch, std::span<WorkerLog> /*logs*/) const {
    return make_feed(first_epoch);
  }
  // Throws Error where the files are no longer those that were opened.
  virtual void check_files() const {}
  // Samples that were left out so far, and why.
  virtual std::map<SampleIndex, std::string> skipped() const { return {}; }
  // What this process has used of the machine so far.
  virtual UsageReading usage() const { return {.usage = usage_now(), .delays = {}}; }
};

// A rig of a loader, a dataset and a compute. Borrows the cell and the dataset, which must outlive it.
class CellRig final : public Rig {
 public:
  // Throws usage Error for a cell that does not fit its dataset, such as a batch larger than it.
  // `gradients`, if any, are summed up with the other ranks of the run, by sinks that do that; they outlive it.
  CellRig(const Cell& cell, const Dataset& dataset, std::optional<std::uint64_t> last_level_cache_bytes,
          GradientSum* gradients = nullptr);
  CellRig(const CellRig&) = delete;
  CellRig& operator=(const CellRig&) = delete;

  const Cell& cell() const override { return cell_; }
  const Assembler& assembler() const { return *assembler_; }
  const Sampler& sampler() const { return sampler_; }
  const ComputeSpec& compute() const { return compute_; }
  const SlotPlan& slots() const override { return slots_; }
  std::uint64_t batches_per_epoch() const override { return sampler_.batches_per_epoch(); }
  // About what the compute will take beside the slots.
  std::size_t compute_bytes() const { return compute_bytes_; }
  std::unique_ptr<Sink> make_sink(Clock& clock, const std::stop_token& stop) const override;
  // Of a compute that learns.
  std::unique_ptr<Trainer> make_trainer(Clock& clock, const std::stop_token& stop) const;
  std::unique_ptr<Feed> make_feed(std::uint64_t first_epoch) const override;
  std::unique_ptr<Sink> make_logged_sink(Clock& clock, const std::stop_token& stop, StepLog& log) const override;
  std::unique_ptr<Feed> make_logged_feed(std::uint64_t first_epoch, std::span<WorkerLog> logs) const override;
  void check_files() const override { assembler_->dataset().check_files(); }
  std::map<SampleIndex, std::string> skipped() const override { return assembler_->skipped(); }
  UsageReading usage() const override { return meter_.now(); }

 private:
  const Cell& cell_;
  std::unique_ptr<Dataset> one_byte_;  // of OVERHEAD alone
  std::unique_ptr<Assembler> assembler_;
  Sampler sampler_;
  ComputeSpec compute_;
  StepSetting setting_;
  std::size_t compute_bytes_;
  SlotPlan slots_;
  UsageMeter meter_;
  GradientSum* gradients_;
};

struct TrialOptions {
  Length length;
  // None: all slots once, and the compute until it is in its stride. Cold cells have no warm-up.
  std::optional<std::size_t> warm_up_batches;
  std::uint64_t first_epoch = 0;        // where a loader starts
  bool fill = true;                     // whether what the loader fills without a drain is measured, after an IO trial
  const EnergyMeter* energy = nullptr;  // read where the clock starts and where it stops; null: not at all
  const EventCounters* counters = nullptr;  // the same
  Together* together = nullptr;     // clocks of all ranks start together, and all take as many batches; null: alone
  EpochTallies* tallies = nullptr;  // of what the loader delivers; null: nobody counts
};

// One trial: makes the sink, then the feed, runs them warm, then times the loop. Its clock_started_seconds counts from
// the call. None when stopped before its end.
// Making, starting and warming up stand outside the clock in every mode. Throws what the loader throws, and Error where
// every sample was left out.
//
// The clock starts and stops in the steady state: a trial whose queue gave or took so many batches that its rate could
// be off by more than 1 % is lengthened or timed again (steady.h), unless its warm-up was asked for.
//
// That of a cold cell, whose files the caller has dropped from the page cache, is timed from its very first batch on,
// as what is read ahead while the clock stands would flatter it, to the end of its last step. It ends with the epoch at
// the latest, and its usage counts from before the feed was made.
std::optional<Trial> run_trial(const Rig& rig, const TrialOptions& options, Clock& clock, const std::stop_token& stop);

// Runs the loop over epoch 0 from the making of the feed to the end of the last step, for `limit` at the most. Leaves
// open_seconds to the caller. None when stopped. Throws as run_trial().
std::optional<FirstEpoch> run_first_epoch(const Rig& rig, Time limit, Clock& clock, const std::stop_token& stop,
                                          Together* together = nullptr);

}  // namespace loadline
