// Where the feed and the sink of a cell's trials come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "harness/measure/meter.h"
#include "harness/plan/plan.h"
#include "loaders/assemble.h"
#include "loaders/datasets/dataset.h"
#include "loaders/loader.h"
#include "loaders/sampler.h"
#include "synthetic/clock.h"
#include "synthetic/compute/compute.h"

namespace loadline {

// The slots of a cell's trials: how many, and what for.
struct SlotPlan {
  std::size_t held_batches = 0;  // by the sink
  std::size_t prefetch = 0;      // 0 without workers
  std::size_t slots = 0;
  std::size_t slot_bytes = 0;
};

class CellRig;

// What trials need of a cell: its feeds and sinks. Trials use nothing else, so they can also run on feeds and sinks
// of known behaviour. One thread.
class Rig {
 public:
  virtual ~Rig() = default;

  virtual const Cell& cell() const = 0;
  virtual const SlotPlan& slots() const = 0;
  virtual std::uint64_t batches_per_epoch() const = 0;
  // Whether the last batch of an epoch is smaller than the others.
  virtual bool ends_epochs_short() const { return false; }
  virtual std::unique_ptr<Sink> make_sink(Clock& clock, const std::stop_token& stop) const = 0;
  // Starts with the first batch of an epoch and continues without end.
  virtual std::unique_ptr<Feed> make_feed(std::uint64_t first_epoch) const = 0;
  // The same for a traced trial: sink and feed write what they do to the logs, if they support that. The logs must
  // outlive them.
  virtual std::unique_ptr<Sink> make_logged_sink(Clock& clock, const std::stop_token& stop, StepLog& /*log*/) const {
    return make_sink(clock, stop);
  }
  virtual std::unique_ptr<Feed> make_logged_feed(std::uint64_t first_epoch, std::span<WorkerLog> /*logs*/) const {
    return make_feed(first_epoch);
  }
  // Throws Error if the files are no longer those that were opened.
  virtual void check_files() const {}
  // This rig as a CellRig; null if its batches do not come from a dataset.
  virtual const CellRig* as_cell_rig() const { return nullptr; }
  // Samples left out so far, and why.
  virtual std::map<SampleIndex, std::string> skipped() const { return {}; }
  // What this process has used of the machine so far.
  virtual UsageReading usage() const { return {.usage = usage_now(), .delays = {}}; }
};

// A rig of a loader, a dataset and a compute. Borrows the cell and the dataset, which must outlive it.
class CellRig final : public Rig {
 public:
  // Throws usage Error for a cell that does not fit its dataset, such as a batch larger than it.
  // `gradients`: sums gradients over the ranks of the run, for sinks that use it; null: none. It must outlive the
  // rig.
  CellRig(const Cell& cell, const Dataset& dataset, std::optional<std::uint64_t> last_level_cache_bytes,
          GradientSum* gradients = nullptr);
  CellRig(const CellRig&) = delete;
  CellRig& operator=(const CellRig&) = delete;

  const CellRig* as_cell_rig() const override { return this; }
  const Cell& cell() const override { return cell_; }
  const Assembler& assembler() const { return *assembler_; }
  const Sampler& sampler() const { return sampler_; }
  const ComputeSpec& compute() const { return compute_; }
  const SlotPlan& slots() const override { return slots_; }
  std::uint64_t batches_per_epoch() const override { return sampler_.batches_per_epoch(); }
  bool ends_epochs_short() const override;
  // The options to make a loader of the cell, without logs.
  LoaderOptions loader_options(const StreamOptions& stream) const;
  // Roughly the memory that the compute takes in addition to the slots.
  std::size_t compute_bytes() const { return compute_bytes_; }
  std::unique_ptr<Sink> make_sink(Clock& clock, const std::stop_token& stop) const override;
  // For a compute that learns.
  std::unique_ptr<Trainer> make_trainer(Clock& clock, const std::stop_token& stop) const;
  std::unique_ptr<Feed> make_feed(std::uint64_t first_epoch) const override;
  std::unique_ptr<Sink> make_logged_sink(Clock& clock, const std::stop_token& stop, StepLog& log) const override;
  std::unique_ptr<Feed> make_logged_feed(std::uint64_t first_epoch, std::span<WorkerLog> logs) const override;
  void check_files() const override { assembler_->dataset().check_files(); }
  std::map<SampleIndex, std::string> skipped() const override { return assembler_->skipped(); }
  UsageReading usage() const override { return meter_.now(); }

 private:
  const Cell& cell_;
  std::unique_ptr<Dataset> one_byte_;  // for OVERHEAD only
  std::unique_ptr<Assembler> assembler_;
  Sampler sampler_;
  ComputeSpec compute_;
  StepSetting setting_;
  std::size_t compute_bytes_;
  SlotPlan slots_;
  UsageMeter meter_;
  GradientSum* gradients_;
};

}  // namespace loadline
