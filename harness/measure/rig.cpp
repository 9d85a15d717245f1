#include "harness/measure/rig.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "harness/machine/machine.h"
#include "harness/measure/assemblers.h"
#include "harness/measure/resident.h"
#include "loaders/datasets/strided.h"
#include "loaders/error.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

void check_classes(const Cell& cell, const DatasetInfo& info) {
  if (info.classes <= cell.classes) return;
  throw Error(fmt::format("cannot use {} for workload {}: label {} is out of range, want 0 to {}", cell.data.string(),
                          cell.workload, info.classes - 1, cell.classes - 1));
}

// The data of OVERHEAD: reading a batch must cost as little as possible, for any sample size of the cells.
std::unique_ptr<Dataset> one_byte() {
  DatasetInfo info{.format = "memory", .samples = 1, .shape = {1, 1, 1}, .classes = 1};
  return std::make_unique<StridedDataset>(std::move(info), std::vector<std::int32_t>(1), HugeMemory(1));
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
  if (kind.has_workers && cell.workers > 0) {
    plan.prefetch = cell.prefetch.value_or(suitable_prefetch(last_level_cache_bytes, slot_bytes, cell.workers));
  }
  plan.slots = slots_of(kind, {.workers = cell.workers, .prefetch = plan.prefetch, .held_batches = plan.held_batches});
  return plan;
}

// For text the tokenizer says how many tokens there are.
std::size_t classes_of(const Cell& cell, const DatasetInfo& info) {
  return info.text ? info.text->vocabulary : cell.classes;
}

StepSetting setting_of(const Cell& cell, const Assembler& assembler) {
  return {.sample = assembler.sample_format(),
          .batch_size = cell.sampler.batch_size,
          .classes = classes_of(cell, assembler.dataset().info()),
          .precision = cell.precision,
          .fusion = cell.fusion,
          .threads = cell.compute_threads,
          .cpus = cell.placement.compute_cpus,
          .seed = cell.sampler.seed};
}

// nullopt: the compute takes any batch.
std::optional<BatchNeeds> needs_of(const Cell& cell, const ComputeKind& compute, const StepSetting& setting) {
  if (cell.mode == Mode::kIo || !compute.needs_samples) return std::nullopt;
  return BatchNeeds{
      .consumer = fmt::format("compute {}", compute.name), .sample = setting.sample, .classes = setting.classes};
}

}  // namespace

CellRig::CellRig(const Cell& cell, const Dataset& dataset, std::optional<std::uint64_t> last_level_cache_bytes,
                 GradientSum* gradients)
    : cell_(cell),
      one_byte_(cell.mode == Mode::kOverhead ? one_byte() : nullptr),
      assembler_(one_byte_ ? std::make_unique<ImageAssembler>(
                                 *one_byte_, ImageTransform(one_byte_->info().shape, {.dtype = DType::kU8},
                                                            kernels_named(cell.kernels)))
                           : make_assembler(cell, dataset)),
      sampler_(one_byte_ ? SamplerOptions{.samples = 1, .batch_size = 1}
                         : with_samples(cell.sampler, dataset.info().samples),
               one_byte_ ? std::span<const std::uint32_t>() : dataset.lengths()),
      compute_(parse_compute(cell.compute)),
      setting_(setting_of(cell, *assembler_)),
      compute_bytes_(compute_.memory_bytes(setting_)),
      slots_(plan_slots(cell, compute_, sampler_.batch_size() * assembler_->sample_bytes(), last_level_cache_bytes)),
      meter_(affinity_cpus()),
      gradients_(gradients) {
  if (one_byte_) check_kind(cell, dataset);
  check_classes(cell, dataset.info());
}

bool CellRig::ends_epochs_short() const {
  if (cell_.loader && loader_named(*cell_.loader).external) return false;  // its batches are its own
  return sampler_.samples_per_epoch() % sampler_.batch_size() != 0;
}

std::unique_ptr<Sink> CellRig::make_sink(Clock& clock, const std::stop_token& stop) const {
  return compute_.make({.clock = clock, .stop = stop, .setting = setting_, .gradients = gradients_});
}

std::unique_ptr<Sink> CellRig::make_logged_sink(Clock& clock, const std::stop_token& stop, StepLog& log) const {
  return compute_.make({.clock = clock, .stop = stop, .setting = setting_, .log = &log});
}

std::unique_ptr<Trainer> CellRig::make_trainer(Clock& clock, const std::stop_token& stop) const {
  return compute_.kind->make_trainer(compute_.values, {.clock = clock, .stop = stop, .setting = setting_});
}

LoaderOptions CellRig::loader_options(const StreamOptions& stream) const {
  return {.workers = cell_.workers,
          .prefetch = slots_.prefetch,
          .stores = cell_.stores,
          .in_order = cell_.in_order,
          .threads_in_force = cell_.threads_in_force,
          .cpus = cell_.placement.worker_cpus,
          .cpus_of_worker = cell_.placement.cpus_of_workers(cell_.workers),
          .slot_nodes = cell_.placement.slot_nodes(),
          .memory_bytes = memory_in_force(),
          .held_batches = slots_.held_batches,
          .stream = stream,
          .data = cell_.data,
          .test_split = cell_.dataset.split == Split::kTest,
          .read_all = cell_.mode == Mode::kIo,
          .needs = needs_of(cell_, *compute_.kind, setting_)};
}

std::unique_ptr<Feed> CellRig::make_feed(std::uint64_t first_epoch) const {
  return make_logged_feed(first_epoch, {});
}

std::unique_ptr<Feed> CellRig::make_logged_feed(std::uint64_t first_epoch, std::span<WorkerLog> logs) const {
  if (!cell_.loader && !cell_.resident_of) {
    return std::make_unique<ResidentFeed>(assembler(), sampler(), slots_.slots, cell_.placement.slot_nodes());
  }
  const LoaderKind& kind = loader_named(cell_.loader ? *cell_.loader : *cell_.resident_of);
  LoaderOptions options = loader_options({.first_epoch = first_epoch});
  if (cell_.loader) {
    options.logs = logs;
    return kind.make(assembler(), sampler(), options);
  }
  // A few, all held at a time. A single batch would stay in the caches, unlike the batches of a loader.
  const std::size_t kept = slots_.slots + 1;
  options.workers = kind.may_do_without ? 0 : 1;
  options.held_batches = kept;
  return std::make_unique<KeptFeed>(kind.make(assembler(), sampler(), options), kept);
}

}  // namespace loadline
