#include "harness/measure/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "harness/measure/loop.h"
#include "harness/measure/prepare.h"
#include "harness/measure/trial.h"
#include "harness/measure/watch.h"
#include "harness/plan/data_kinds.h"
#include "harness/plan/refusals.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/names.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

template <typename T>
void check_one(std::string_view option, const std::vector<T>& values) {
  if (values.size() <= 1) return;
  throw usage_error(fmt::format("--{}: training takes one value, but {} are given", option, values.size()));
}

// A sink for the loop over a trainer that the caller keeps.
class Lent final : public Sink {
 public:
  explicit Lent(Trainer& trainer) : trainer_(trainer) {}
  void consume(Batch batch) override { trainer_.consume(std::move(batch)); }
  void finish() override { trainer_.finish(); }

 private:
  Trainer& trainer_;
};

Score validate(const CellRig& rig, Trainer& trainer, const std::stop_token& stop) {
  Score score;
  const auto feed = rig.make_feed(0);
  const std::stop_callback close(stop, [&feed] { feed->close(); });
  for (std::size_t i = 0; i < rig.sampler().batches_per_epoch(); ++i) {
    const Batch batch = feed->next();
    if (!batch) break;
    score.add(trainer.evaluate(*batch));
  }
  return score;
}

// The time before the first batch was requested, the waits, the trainer's parts, and the rest.
std::vector<StageSummary> epoch_stages(Time wall, Time before, Time waits, std::uint64_t batches,
                                       std::span<const StageTime> earlier, std::span<const StageTime> later) {
  if (later.empty()) return {};
  std::vector<StageSummary> stages;
  if (before > Time()) stages.push_back({"set-up", 1, seconds(before)});
  stages.push_back({std::string(kHostWaits), batches, seconds(waits)});
  Time rest = wall - before - waits;
  for (std::size_t i = 0; i < later.size(); ++i) {
    const Time total = later[i].total - earlier[i].total;
    stages.push_back({std::string(later[i].name), later[i].hits - earlier[i].hits, seconds(total)});
    rest -= total;
  }
  stages.push_back({"other", batches, seconds(rest)});
  return stages;
}

// nullopt when stopped before its end. `begun`: the start of its time, if that is not now.
std::optional<EpochResult> run_epoch(const CellRig& rig, Feed& feed, Trainer& trainer, Clock& clock,
                                     std::optional<Time> begun, const std::stop_token& stop) {
  const Time begin = begun ? *begun : clock.now();
  Lent sink(trainer);
  const UsageReading before = rig.usage();
  const std::vector<StageTime> stages_before(trainer.stages().begin(), trainer.stages().end());
  const Time asked = clock.now();
  const Stretch first = run_loop(feed, sink, clock, Batches{1}, stop);
  const std::size_t left = rig.sampler().batches_per_epoch() - 1;
  const Stretch rest = left > 0 ? run_loop(feed, sink, clock, Batches{left}, stop) : Stretch{.complete = true};
  if (!first.complete || !rest.complete) return std::nullopt;
  sink.finish();
  const Time wall = clock.now() - begin;
  EpochResult epoch{.wall_seconds = seconds(wall),
                    .wait_seconds = seconds(first.waits.total() + rest.waits.total()),
                    .first_batch_seconds = seconds(first.waits.total()),
                    .training = trainer.take_score()};
  epoch.stages = epoch_stages(wall, begun ? asked - begin : Time(), first.waits.total() + rest.waits.total(),
                              first.batches + rest.batches, stages_before, trainer.stages());
  epoch.usage = difference(rig.usage(), before);
  return epoch;
}

}  // namespace

TrainingPlan plan_training(const RunOptions& options, std::size_t epochs, const PlanContext& context) {
  check_one("workload", options.workloads);
  check_one("loader", options.loaders);
  if (const LoaderKind& kind = loader_named(options.loaders.front()); kind.external) {
    throw usage_error(fmt::format("--loader {}: train takes only the loaders that `loadline list` shows", kind.name));
  }
  check_one("workers", options.workers);
  check_one("batch-size", options.batch_sizes);
  for (const Axis& axis : options.axes) check_one(axis.option, axis.values);
  if (options.cache == "cold") {
    throw usage_error("--cache cold: train uses the page cache as it is; only run has cold trials");
  }
  RunOptions full = options;
  full.modes = {"full"};
  full.find.clear();  // of a configuration file
  const Plan plan = make_plan(full, context);
  // The cell with the most workers, if their number was not given; the last cell is OVERHEAD.
  TrainingPlan training{.cell = plan.cells[plan.cells.size() - 2], .epochs = epochs};
  const ComputeKind& compute = *parse_compute(training.cell.compute).kind;
  if (compute.make_trainer == nullptr) {
    throw usage_error(fmt::format("--compute {}: it does not learn; cnn and gpt do", compute.name));
  }
  if (training.cell.dataset.split == Split::kTest) {
    throw usage_error("--split test: training uses the other split");
  }
  full.split = "test";
  full.order = "sequential";
  full.crop_padding = 0;
  full.flip = "off";
  full.crop = options.crop == "random-resized" ? "centre" : options.crop;
  full.page_samples = RunOptions().page_samples;
  full.window_samples = RunOptions().window_samples;
  full.drop_last = false;
  training.validation = make_plan(full, context).cells[plan.cells.size() - 2];
  return training;
}

void run_training(const TrainingPlan& plan, TrainingResult& result, Clock& clock, const std::stop_token& stop,
                  TrainingObserver& observer) {
  const Machine& machine = result.environment.machine;
  // First of all, as a job would do it: the time of the first epoch starts with the training data.
  std::unique_ptr<Dataset> validation_set;
  try {
    if (plan.validation) validation_set = open_dataset(plan.validation->data, plan.validation->dataset);
  } catch (const Error& error) {
    result.why_no_validation = error.what();
  }

  const Time begun = clock.now();
  const auto dataset = open_for(plan.cell);
  result.open_seconds = seconds(clock.now() - begun);
  const DatasetWatch watch(dataset->info());
  result.dataset = dataset->info();
  Machine tried = machine;
  result.cell = prepare_cell(plan.cell, *dataset, 0, tried);
  check_heeded(result.options, kinds_of(result.dataset), holding(plan.cell.data, result.dataset));
  const CellRig rig(plan.cell, *dataset, machine.last_level_cache_bytes);
  if (dataset->info().volume) {
    validation_set.reset();
    result.why_no_validation = "a volume has no test split";
  }
  std::unique_ptr<CellRig> validation_rig;
  if (validation_set) {
    const std::size_t held_out = validation_set->info().samples;
    if (const std::size_t size = plan.validation->sampler.batch_size; size > held_out) {
      throw usage_error(fmt::format("--batch-size {}: the split for validation has only {} samples", size, held_out));
    }
    validation_rig = std::make_unique<CellRig>(*plan.validation, *validation_set, machine.last_level_cache_bytes);
    result.validation_data = plan.validation->data.string();
  }

  // The trainer first, so that the loader starts when its batches are needed; the feed outlives it.
  std::unique_ptr<Feed> feed;
  const Time before_compute = clock.now();
  std::optional<PinnedThread> pinned(std::in_place, plan.cell.placement.compute_cpus);
  const auto trainer = rig.make_trainer(clock, stop);
  pinned.reset();
  const Time before_feed = clock.now();
  feed = rig.make_feed(0);
  pinned.emplace(plan.cell.placement.compute_cpus);
  result.compute_setup_seconds = seconds(before_feed - before_compute);
  result.loader_setup_seconds = seconds(clock.now() - before_feed);
  result.compute_description = trainer->description();
  result.classifies = trainer->classifies();

  for (std::size_t i = 0; i < plan.epochs; ++i) {
    auto epoch = run_epoch(rig, *feed, *trainer, clock, i == 0 ? std::optional(begun) : std::nullopt, stop);
    if (!epoch) return;
    watch.check();
    if (validation_rig) {
      const Time before = clock.now();
      epoch->validation = validate(*validation_rig, *trainer, stop);
      epoch->validation_seconds = seconds(clock.now() - before);
      if (stop.stop_requested()) epoch->validation.reset();
    }
    result.epochs.push_back(std::move(*epoch));
    observer.on_epoch(result);
    if (stop.stop_requested()) return;
  }
  result.status = Status::kComplete;
}

}  // namespace loadline
