#include "harness/measure/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "harness/measure/resident.h"
#include "loaders/datasets/memory.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/storage/affinity.h"

namespace loadline {
namespace {

// Steps of OVERHEAD last a fraction of a microsecond: enough of them for the clock, few enough for the user.
const Length kOverheadLength = Batches{100'000};

void check_classes(const Cell& cell, const DatasetInfo& info) {
  if (info.classes <= cell.classes) return;
  throw Error(fmt::format("cannot use {} for workload {}: label {} is out of range, want 0 to {}", cell.data.string(),
                          cell.workload, info.classes - 1, cell.classes - 1));
}

// What OVERHEAD runs on: reading a batch must cost as little as can be, however large the samples of the cells are.
std::unique_ptr<Dataset> one_byte() {
  DatasetInfo info{.format = "memory", .samples = 1, .shape = {1, 1, 1}, .classes = 1};
  return std::make_unique<MemoryDataset>(std::move(info), std::vector<std::int32_t>(1), HugeMemory(1));
}

std::unique_ptr<Assembler> make_volume_assembler(const Cell& cell, const VolumeDataset& dataset) {
  const std::string_view unheeded = cell.transform.crop_padding != 0                                  ? "--crop-padding"
                                    : cell.transform.flip                                             ? "--flip on"
                                    : cell.transform.layout != Layout::kNCHW                          ? "--layout nhwc"
                                    : !(cell.transform.mean.empty() && cell.transform.stddev.empty()) ? "--mean, --std"
                                                                                                      : "";
  if (!unheeded.empty()) throw usage_error(fmt::format("{}: it is for images, not for crops of a volume", unheeded));
  return std::make_unique<VolumeAssembler>(dataset, VolumeTransform(cell.volume, kernels_named(cell.kernels)));
}

// What does not fit is a question of the two together, so both are named.
std::unique_ptr<Assembler> make_assembler(const Cell& cell, const Dataset& dataset) {
  try {
    if (dataset.info().encoded) {
      if (cell.transform.crop_padding != 0) {
        throw usage_error("--crop-padding: it is for images of one size, photographs have --crop");
      }
      return std::make_unique<PhotoAssembler>(dataset, PhotoTransform(cell.photo, kernels_named(cell.kernels)),
                                              cell.on_corrupt);
    }
    if (dataset.info().volume) return make_volume_assembler(cell, dynamic_cast<const VolumeDataset&>(dataset));
    return std::make_unique<ImageAssembler>(
        dataset, ImageTransform(dataset.info().shape, cell.transform, kernels_named(cell.kernels)));
  } catch (const Error& error) {
    throw Error(fmt::format("cannot use {} for workload {}: {}", cell.data.string(), cell.workload, error.what()),
                error.kind());
  }
}

SamplerOptions with_samples(SamplerOptions options, std::size_t samples) {
  options.samples = samples;
  return options;
}

SlotPlan plan_slots(const Cell& cell, const ComputeSpec& compute, std::size_t slot_bytes,
                    std::optional<std::uint64_t> last_level_cache_bytes) {
  SlotPlan plan{.held_batches = compute.held_batches(), .slot_bytes = slot_bytes};
  plan.slots = 1 + plan.held_batches;
  if (!cell.loader) return plan;
  const LoaderKind& kind = loader_named(*cell.loader);
  if (kind.has_workers) {
    plan.prefetch = cell.prefetch.value_or(suitable_prefetch(last_level_cache_bytes, slot_bytes, cell.workers));
  }
  plan.slots = slots_of(kind, {.workers = cell.workers, .prefetch = plan.prefetch, .held_batches = plan.held_batches});
  return plan;
}

StepSetting setting_of(const Cell& cell, const Assembler& assembler) {
  return {.sample = assembler.sample_format(),
          .batch_size = cell.sampler.batch_size,
          .classes = cell.classes,
          .precision = cell.precision,
          .fusion = cell.fusion,
          .threads = cell.compute_threads,
          .cpus = cell.placement.compute_cpus,
          .seed = cell.sampler.seed};
}

WaitSummary summarize(const WaitHistogram& waits) {
  return {.total_seconds = seconds(waits.total()),
          .p50_seconds = seconds(waits.percentile(0.50)),
          .p95_seconds = seconds(waits.percentile(0.95)),
          .p99_seconds = seconds(waits.percentile(0.99)),
          .max_seconds = seconds(waits.largest())};
}

// Of the wall time: the wait, what the sink did in its stages between the two readings, and the rest.
std::vector<StageSummary> stages_of(const Stretch& timed, std::span<const StageTime> before,
                                    std::span<const StageTime> after) {
  if (after.empty()) return {};
  std::vector<StageSummary> stages{{std::string(kHostWaits), timed.batches, seconds(timed.waits.total())}};
  Time rest = timed.wall - timed.waits.total();
  for (std::size_t i = 0; i < after.size(); ++i) {
    const Time total = after[i].total - before[i].total;
    stages.push_back({std::string(after[i].name), after[i].hits - before[i].hits, seconds(total)});
    rest -= total;
  }
  stages.push_back({"other", timed.batches, seconds(rest)});
  return stages;
}

// All slots once: a loader that ran ahead while the clock stood has given away its head start, and a loader that is
// slower than its sink runs as dry as it will be for the whole trial.
std::size_t warm_up_of(const Rig& rig, const Sink& sink, const TrialOptions& options) {
  const std::size_t needed = sink.batches_to_steady_state() + (rig.cell().loader ? rig.slots().slots : 0);
  return std::max<std::size_t>(1, options.warm_up_batches.value_or(needed));
}

// A cold trial ends with its epoch: in the next one it would find in the page cache what it has just read.
Length length_of(const Rig& rig, const Sink& sink, const TrialOptions& options) {
  Length length = rig.cell().mode == Mode::kOverhead ? kOverheadLength : options.length;
  length.round = sink.batches_per_round();
  if (!starts(rig.cell(), CacheState::kCold)) return length;
  const std::uint64_t epoch = rig.batches_per_epoch();
  const std::uint64_t whole_rounds = epoch - epoch % length.round;
  length.batches = std::min(length.batches, std::max(whole_rounds, length.round));
  return length;
}

}  // namespace

CellRig::CellRig(const Cell& cell, const Dataset& dataset, std::optional<std::uint64_t> last_level_cache_bytes)
    : cell_(cell),
      one_byte_(cell.mode == Mode::kOverhead ? one_byte() : nullptr),
      assembler_(one_byte_ ? std::make_unique<ImageAssembler>(
                                 *one_byte_, ImageTransform(one_byte_->info().shape, {.dtype = DType::kU8},
                                                            kernels_named(cell.kernels)))
                           : make_assembler(cell, dataset)),
      sampler_(one_byte_ ? SamplerOptions{.samples = 1, .batch_size = 1}
                         : with_samples(cell.sampler, dataset.info().samples)),
      compute_(parse_compute(cell.compute)),
      setting_(setting_of(cell, *assembler_)),
      compute_bytes_(compute_.memory_bytes(setting_)),
      slots_(plan_slots(cell, compute_, sampler_.batch_size() * assembler_->sample_bytes(), last_level_cache_bytes)) {
  check_classes(cell, dataset.info());
}

std::unique_ptr<Sink> CellRig::make_sink(Clock& clock, const std::stop_token& stop) const {
  return compute_.make({.clock = clock, .stop = stop, .setting = setting_});
}

std::unique_ptr<Trainer> CellRig::make_trainer(Clock& clock, const std::stop_token& stop) const {
  return compute_.kind->make_trainer(compute_.values, {.clock = clock, .stop = stop, .setting = setting_});
}

std::unique_ptr<Feed> CellRig::make_feed(std::uint64_t first_epoch) const {
  if (!cell_.loader) return std::make_unique<ResidentFeed>(assembler(), sampler(), slots_.slots);
  const LoaderOptions options{.workers = cell_.workers,
                              .prefetch = slots_.prefetch,
                              .stores = cell_.stores,
                              .in_order = cell_.in_order,
                              .threads_in_force = cell_.threads_in_force,
                              .cpus = cell_.placement.worker_cpus,
                              .held_batches = slots_.held_batches,
                              .stream = {.first_epoch = first_epoch}};
  return loader_named(*cell_.loader).make(assembler(), sampler(), options);
}

std::optional<Trial> run_trial(const Rig& rig, const TrialOptions& options, Clock& clock, const std::stop_token& stop) {
  const bool cold = starts(rig.cell(), CacheState::kCold);
  const auto& compute_cpus = rig.cell().placement.compute_cpus;
  Trial trial;
  std::unique_ptr<Feed> feed;
  const Time begin = clock.now();
  if (!cold) feed = rig.make_feed(options.first_epoch);
  const Time before_sink = clock.now();
  std::optional<PinnedThread> pinned(std::in_place, compute_cpus);
  const auto sink = rig.make_sink(clock, stop);  // goes before the feed, whose batches it may hold to the end
  trial.compute_setup_seconds = seconds(clock.now() - before_sink);
  trial.compute_description = sink->description();
  Usage before;
  if (cold) {
    before = rig.usage();
    // Workers read from the moment they are there: what they read before the clock starts would come for nothing.
    pinned.reset();
    feed = rig.make_feed(options.first_epoch);
    pinned.emplace(compute_cpus);
  }
  trial.setup_seconds = seconds(clock.now() - begin);

  if (!cold) {
    const Stretch first = run_loop(*feed, *sink, clock, Batches{1}, stop);
    trial.first_batch_seconds = trial.setup_seconds + seconds(first.first_wait);
    trial.warm_up_batches = warm_up_of(rig, *sink, options);
    run_loop(*feed, *sink, clock, Batches{trial.warm_up_batches - 1}, stop);
    before = rig.usage();
  }
  const std::vector<StageTime> stages_before(sink->stages().begin(), sink->stages().end());
  const Stretch timed = run_loop(*feed, *sink, clock, length_of(rig, *sink, options), stop);
  trial.usage = difference(rig.usage(), before);
  if (!timed.complete) return std::nullopt;
  rig.check_files();
  if (cold) trial.first_batch_seconds = trial.setup_seconds + seconds(timed.first_wait);
  trial.wall_seconds = seconds(timed.wall);
  trial.batches = timed.batches;
  trial.samples = timed.samples;
  trial.bytes = timed.bytes;
  trial.stores = timed.stores;
  trial.wait = summarize(timed.waits);
  trial.stages = stages_of(timed, stages_before, sink->stages());
  return trial;
}

std::optional<FirstEpoch> run_first_epoch(const Rig& rig, Time limit, Clock& clock, const std::stop_token& stop) {
  const Usage before = rig.usage();
  const Time begin = clock.now();
  const auto feed = rig.make_feed(0);
  const PinnedThread pinned(rig.cell().placement.compute_cpus);
  const auto sink = rig.make_sink(clock, stop);
  const double setup_seconds = seconds(clock.now() - begin);
  const std::size_t epoch = rig.batches_per_epoch();

  const Stretch first = run_loop(*feed, *sink, clock, Batches{1}, stop);
  const Stretch rest = run_loop(*feed, *sink, clock, {Batches{epoch - 1}, limit}, stop);
  if (!first.complete || !rest.complete) return std::nullopt;
  FirstEpoch result{.first_batch_seconds = setup_seconds + seconds(first.waits.total()),
                    .wall_seconds = setup_seconds + seconds(first.wall + rest.wall),
                    .samples = first.samples + rest.samples,
                    .batches = first.batches + rest.batches,
                    .complete = first.batches + rest.batches == epoch};
  result.usage = difference(rig.usage(), before);
  return result;
}

}  // namespace loadline
