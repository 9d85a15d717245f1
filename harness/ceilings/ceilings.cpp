#include "harness/ceilings/ceilings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/ceilings/kernels.h"
#include "harness/plan/settings.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

using Threads = std::optional<std::size_t>;

// The threads that assemble: the workers, or the consumer itself.
std::size_t assembling_threads(const Cell& cell) {
  return std::max<std::size_t>(1, cell.workers);
}

bool sink_reads(const Cell& cell) {
  return parse_compute(cell.compute).kind->only_reads;
}

// Whether the sink's reading takes time from the assembling. It does not if a CPU is left for the sink, or if the
// cell's placement keeps workers off the sink's CPUs, however many workers share the others.
bool reading_costs_time(const Cell& cell) {
  const bool own_cpus = !cell.placement.compute_cpus.empty();
  const bool spare_cpu = cell.workers > 0 && (own_cpus || cell.workers < cell.threads_in_force);
  return sink_reads(cell) && !spare_cpu;
}

Threads always(const Cell& cell, const DatasetInfo& /*dataset*/, const StorageRequests& /*requests*/) {
  return assembling_threads(cell);
}

Threads where_files_are_read(const Cell& cell, const DatasetInfo& dataset, const StorageRequests& /*requests*/) {
  return dataset.access == Access::kMapped ? assembling_threads(cell) : Threads();
}

bool storage_is_read(const DatasetInfo& dataset) {
  const bool read = dataset.access != Access::kResident && dataset.access != Access::kUnknown;
  return read && !dataset.files.empty();
}

// Each request has a thread that waits for it.
Threads where_storage_is_read(const Cell& /*cell*/, const DatasetInfo& dataset, const StorageRequests& /*requests*/) {
  return storage_is_read(dataset) ? Threads(kMostRequestsAtATime) : Threads();
}

// By workers that request blocks of mapped files ahead.
Threads where_blocks_are_mapped(const Cell& cell, const DatasetInfo& dataset, const StorageRequests& requests) {
  const bool blocks = requests.order == RequestOrder::kRandom && !requests.of_a_sample;
  const bool mapped = dataset.access == Access::kMapped && !dataset.files.empty();
  return blocks && mapped && starts(cell, CacheState::kCold) ? Threads(assembling_threads(cell)) : Threads();
}

Threads where_each_sample_is_requested(const Cell& cell, const DatasetInfo& dataset, const StorageRequests& requests) {
  if (!storage_is_read(dataset)) return {};
  if (!requests.of_a_sample) return starts(cell, CacheState::kCold) ? Threads() : Threads(kMostRequestsAtATime);
  return requests.at_a_time;
}

Threads where_reading_costs_nothing(const Cell& cell, const DatasetInfo& /*dataset*/,
                                    const StorageRequests& /*requests*/) {
  return reading_costs_time(cell) ? Threads() : assembling_threads(cell);
}

Threads where_reading_costs_time(const Cell& cell, const DatasetInfo& /*dataset*/,
                                 const StorageRequests& /*requests*/) {
  return reading_costs_time(cell) ? assembling_threads(cell) : Threads();
}

Threads where_reading_costs_only_the_journey(const Cell& cell, const DatasetInfo& /*dataset*/,
                                             const StorageRequests& /*requests*/) {
  return sink_reads(cell) && !reading_costs_time(cell) ? Threads(cell.workers + 1) : Threads();
}

// One consumer reads the batches of all workers, in their order.
Threads where_reading_costs_time_and_the_journey(const Cell& cell, const DatasetInfo& /*dataset*/,
                                                 const StorageRequests& /*requests*/) {
  const bool other_cpus = cell.workers > 1 && cell.threads_in_force > 1;
  return other_cpus && reading_costs_time(cell) ? Threads(cell.workers) : Threads();
}

// On a single CPU gather-drain counts the reading, and nothing comes from another CPU's caches.
Threads where_a_consumer_reads(const Cell& cell, const DatasetInfo& /*dataset*/, const StorageRequests& /*requests*/) {
  const bool other_cpus = cell.workers > 0 && cell.threads_in_force > 1;
  return other_cpus && sink_reads(cell) ? Threads(cell.workers + 1) : Threads();
}

Threads where_batches_are_handed_over(const Cell& cell, const DatasetInfo& /*dataset*/,
                                      const StorageRequests& /*requests*/) {
  return cell.workers > 0 ? Threads(2) : Threads();
}

constexpr bool kBound = true;     // CeilingKind::upper_bound
constexpr bool kOfDevice = true;  // CeilingKind::of_device

constexpr std::array kKinds{
    CeilingKind{"memory-read", "reads one byte of every cache line in a block larger than the caches",
                CeilingUnit::kBytes, CeilingScope::kMachine, CeilingRole::kFilling, !kBound, !kOfDevice, always,
                make_memory_read},
    CeilingKind{"memory-write", "writes a block larger than the caches, through them or past them", CeilingUnit::kBytes,
                CeilingScope::kMachine, CeilingRole::kFilling, !kBound, !kOfDevice, always, make_memory_write},
    CeilingKind{"memory-copy", "copies a block larger than the caches", CeilingUnit::kBytes, CeilingScope::kMachine,
                CeilingRole::kFilling, !kBound, !kOfDevice, always, make_memory_copy},
    CeilingKind{"device-read", "reads the dataset's files by the loader's requests, past the page cache",
                CeilingUnit::kBytes, CeilingScope::kDataset, CeilingRole::kFilling, kBound, kOfDevice,
                where_storage_is_read, make_device_read},
    CeilingKind{"mapped-read", "reads the dataset's mapped files by the loader's requests, through the page cache",
                CeilingUnit::kBytes, CeilingScope::kDataset, CeilingRole::kFilling, kBound, kOfDevice,
                where_blocks_are_mapped, make_mapped_read},
    CeilingKind{"device-iops", "reads random samples, or whole files of a folder, past the page cache",
                CeilingUnit::kReads, CeilingScope::kDataset, CeilingRole::kFilling, kBound, kOfDevice,
                where_each_sample_is_requested, make_device_iops},
    CeilingKind{"page-cache", "reads random blocks of the dataset's files by pread", CeilingUnit::kBytes,
                CeilingScope::kDataset, CeilingRole::kFilling, !kBound, !kOfDevice, where_files_are_read,
                make_page_cache},
    CeilingKind{"gather", "fills slots with random samples", CeilingUnit::kSamples, CeilingScope::kBatch,
                CeilingRole::kFilling, kBound, !kOfDevice, where_reading_costs_nothing, make_gather},
    CeilingKind{"gather-drain", "fills slots with random samples, then reads them", CeilingUnit::kSamples,
                CeilingScope::kBatch, CeilingRole::kFilling, kBound, !kOfDevice, where_reading_costs_time,
                make_gather_drain},
    CeilingKind{"gather-across", "fills slots with random samples, which another thread reads", CeilingUnit::kSamples,
                CeilingScope::kBatch, CeilingRole::kHandingOver, kBound, !kOfDevice,
                where_reading_costs_only_the_journey, make_gather_across},
    CeilingKind{"gather-exchange", "fills slots with random samples, and reads those of all threads in turn",
                CeilingUnit::kSamples, CeilingScope::kBatch, CeilingRole::kExchanging, !kBound, !kOfDevice,
                where_reading_costs_time_and_the_journey, make_gather_exchange},
    CeilingKind{"drain", "reads, on one thread, what the others have written", CeilingUnit::kSamples,
                CeilingScope::kBatch, CeilingRole::kTaking, kBound, !kOfDevice, where_a_consumer_reads, make_drain},
    CeilingKind{"hand-off", "passes empty batches from one thread to another and back", CeilingUnit::kBatches,
                CeilingScope::kMachine, CeilingRole::kHandingOver, kBound, !kOfDevice, where_batches_are_handed_over,
                make_hand_off},
};

// Each layer of a crop is read as one run of rows including the gaps, or as one run per row if that is less.
double crop_bytes_on_pages(const VolumeShape& volume, std::size_t crop_edge) {
  const auto edge = static_cast<double>(crop_edge);
  const auto bytes = static_cast<double>(sizeof(float));
  const double in_one = run_bytes_on_pages(((edge - 1) * static_cast<double>(volume.edge) + edge) * bytes);
  const double by_row = edge * run_bytes_on_pages(edge * bytes);
  return static_cast<double>(volume.channels()) * edge * std::min(in_one, by_row);
}

// For whole files, or the runs of a crop. Random places repeat within an epoch, and then memory already holds as much
// of the files as fits.
double reads_per_sample(const Cell& cell, const DatasetInfo& info, std::optional<std::uint64_t> memory_bytes) {
  constexpr double kLeast = 0.01;
  const double reads = info.volume ? static_cast<double>(info.volume->channels() * cell.dataset.crop_edge) : 1;
  const bool come_again = info.volume || (info.tokens && info.tokens->sequences == Sequences::kRandom);
  if (!come_again || !memory_bytes) return reads;
  const double held = static_cast<double>(*memory_bytes) / static_cast<double>(info.stored_bytes);
  return reads * std::max(kLeast, 1 - held);
}

// The mean bytes that storage must deliver per sample of an epoch: whole pages, if places are random. Pages overlap:
// if all pages are equally likely, and each is chosen n times on average, the share e^-n is never chosen.
double stored_bytes_per_sample(const Cell& cell, const DatasetInfo& info) {
  const auto all = static_cast<double>(info.stored_bytes);
  const auto samples = static_cast<double>(info.samples);
  const auto of_random_places = [&](double on_pages) { return all * -std::expm1(-samples * on_pages / all) / samples; };
  if (const auto& tokens = info.tokens) {
    const auto sample_bytes = static_cast<double>((tokens->sequence_length + 1) * tokens->token_bytes);
    return tokens->sequences == Sequences::kRandom ? of_random_places(run_bytes_on_pages(sample_bytes))
                                                   : std::min(all / samples, sample_bytes);
  }
  if (!info.volume) return all / samples;
  return of_random_places(crop_bytes_on_pages(*info.volume, cell.dataset.crop_edge));
}

// Whether memory can hold samples of the dataset to measure on: all of them, or a part that can stand for them.
bool has_samples_in_memory(const DatasetInfo& info, std::optional<std::uint64_t> memory_bytes) {
  return info.access != Access::kMapped || info.labelled() || stays_mapped(info, memory_bytes);
}

// The requests of one kind of ceiling: device-read requests bytes that several samples share in whole blocks, even if
// files with one sample are shorter.
StorageRequests requests_of(const CeilingKind& kind, const DatasetInfo& info, const StorageRequests& requests) {
  if (kind.unit == CeilingUnit::kReads) {
    if (requests.of_a_sample) return requests;
    return {.bytes = kDevicePageBytes, .order = RequestOrder::kRandom};
  }
  if (!requests.of_a_sample) return requests;
  return {.bytes = largest_request_bytes(info.stored_bytes), .order = RequestOrder::kStored};
}

// Tries each way this often, in turn, because the machine may change and other work may interfere; the best counts.
constexpr int kTries = 4;

// The best rate of each way; nullopt when stopped.
std::optional<std::vector<double>> try_ways(CeilingKernel& kernel, std::size_t ways, Time time, const Clock& clock,
                                            const std::stop_token& stop) {
  std::vector<double> best(ways);
  for (int i = 0; i < kTries; ++i) {
    for (std::size_t way = 0; way < ways; ++way) {
      const auto pace = kernel.run(way, {.warm_up = time / 5, .timed = time - time / 5}, clock, stop);
      if (!pace) return std::nullopt;
      best[way] = std::max(best[way], pace->per_second());
    }
  }
  return best;
}

}  // namespace

std::string_view name(CeilingUnit unit) {
  switch (unit) {
    case CeilingUnit::kBytes: return "bytes/s";
    case CeilingUnit::kSamples: return "samples/s";
    case CeilingUnit::kBatches: return "batches/s";
    case CeilingUnit::kReads: return "reads/s";
  }
  return "";
}

std::span<const CeilingKind> ceiling_kinds() {
  return kKinds;
}

const CeilingKind& ceiling_kind_named(std::string_view name) {
  return row_named(kKinds, "ceiling", name);
}

double blocks_per_sample(const Cell& cell, const DatasetInfo& info, std::size_t block_bytes) {
  const auto touched = [&](double bytes) { return 1 + (bytes - 1) / static_cast<double>(block_bytes); };
  if (const auto& volume = info.volume) {
    const auto crop = static_cast<double>(cell.dataset.crop_edge);
    const auto edge = static_cast<double>(volume->edge);
    const double layer_values = (crop - 1) * edge + crop;
    const double layer_bytes = layer_values * sizeof(float);
    const double extent_bytes = ((crop - 1) * edge * edge + layer_values) * sizeof(float);
    return static_cast<double>(volume->channels()) * std::min(crop * touched(layer_bytes), touched(extent_bytes));
  }
  const auto& tokens = info.tokens;
  const auto sample_bytes = tokens ? static_cast<double>((tokens->sequence_length + 1) * tokens->token_bytes)
                                   : static_cast<double>(info.stored_bytes) / static_cast<double>(info.samples);
  return touched(sample_bytes);
}

std::string Ceiling::id() const {
  std::string text(kind->name);
  if (!workload.empty()) text += fmt::format("/{}", workload);
  if (dataset) text += fmt::format("/data:{}", *dataset);
  if (request_order) text += fmt::format("/{}:{}", name(*request_order), *request_bytes);
  if (batch_size > 0) text += fmt::format("/batch:{}", batch_size);
  text += fmt::format("{}/threads:{}", further, threads);
  if (cpus.empty()) return text;
  return fmt::format("{}/cpus:{}{}{}", text, fmt::join(giver_cpus, ","), giver_cpus.empty() ? "" : ">",
                     fmt::join(cpus, ","));
}

double Ceiling::samples_per_unit(const Cell& cell, const DatasetInfo& info,
                                 std::optional<std::uint64_t> memory_bytes) const {
  if (!kind->upper_bound) throw Error(fmt::format("ceiling {}: it does not bound samples", kind->name));
  switch (kind->unit) {
    case CeilingUnit::kBatches: return static_cast<double>(cell.sampler.batch_size);
    case CeilingUnit::kBytes: return 1 / stored_bytes_per_sample(cell, info);
    case CeilingUnit::kReads: return 1 / reads_per_sample(cell, info, memory_bytes);
    case CeilingUnit::kSamples: break;
  }
  return 1;
}

bool binds(const Ceiling& ceiling, const Cell& cell) {
  return ceiling.kind->upper_bound && (!ceiling.kind->of_device || starts(cell, CacheState::kCold));
}

std::vector<Ceiling> ceilings_of(const Cell& cell, std::size_t dataset, const DatasetInfo& info,
                                 std::optional<std::uint64_t> memory_bytes, bool alone) {
  std::vector<Ceiling> ceilings;
  if (!cell.loader) return ceilings;
  const StorageRequests requests = storage_requests(cell, info, memory_bytes);
  for (const CeilingKind& kind : kKinds) {
    if (kind.of_device && !alone && !starts(cell, CacheState::kCold)) continue;
    const bool fills = kind.scope == CeilingScope::kBatch && kind.role != CeilingRole::kTaking;
    if (fills && !has_samples_in_memory(info, memory_bytes)) continue;
    const auto threads = kind.threads(cell, info, requests);
    if (!threads) continue;
    Ceiling ceiling{.kind = &kind, .threads = *threads};
    if (kind.scope != CeilingScope::kMachine) {
      ceiling.workload = cell.workload;
      ceiling.dataset = dataset;
    }
    if (kind.scope == CeilingScope::kBatch) {
      ceiling.batch_size = cell.sampler.batch_size;
      ceiling.further = axes_text(cell, {SettingPart::kSubject, SettingPart::kOrder});
    }
    // A loader without workers fills on the thread that takes.
    const bool by_workers = kind.role == CeilingRole::kFilling || kind.role == CeilingRole::kExchanging;
    const bool fills_elsewhere = by_workers && cell.workers > 0;
    ceiling.cpus = fills_elsewhere ? cell.placement.worker_cpus : cell.placement.compute_cpus;
    if (kind.of_device) {
      const StorageRequests asked = requests_of(kind, info, requests);
      ceiling.request_bytes = asked.bytes;
      ceiling.request_order = asked.order;
    }
    const bool from_others = kind.role == CeilingRole::kHandingOver || kind.role == CeilingRole::kTaking;
    if (from_others) ceiling.giver_cpus = cell.placement.worker_cpus;
    ceilings.push_back(std::move(ceiling));
  }
  return ceilings;
}

double ceiling_seconds(const CeilingKind& kind) {
  if (kind.of_device) return 0.6;
  const bool between_cpus = kind.role != CeilingRole::kFilling;
  return kind.scope == CeilingScope::kBatch && between_cpus ? 0.3 : 0.15;
}

std::optional<CeilingTrial> run_ceiling_trial(CeilingKernel& kernel, Time time, const Clock& clock,
                                              const std::stop_token& stop) {
  const auto ways = kernel.ways();
  std::vector<double> tried{0};
  if (ways.size() > 1) {
    const Time trying = time / 24;
    const auto best = try_ways(kernel, ways.size(), trying, clock, stop);
    if (!best) return std::nullopt;
    tried = *best;
    time -= kTries * static_cast<Time::rep>(ways.size()) * trying;
  }
  const Durations durations{.warm_up = time / 10, .timed = time - time / 10};
  const auto fastest = static_cast<std::size_t>(std::ranges::max_element(tried) - tried.begin());
  std::size_t way = fastest;
  auto pace = kernel.run(way, durations, clock, stop);
  // The machine may have changed since, so that another way is the faster one.
  for (std::size_t other = 0; pace && other < tried.size(); ++other) {
    if (other == fastest || tried[other] <= pace->per_second()) continue;
    const auto again = kernel.run(other, durations, clock, stop);
    if (!again) return std::nullopt;
    if (again->per_second() <= pace->per_second()) continue;
    pace = again;
    way = other;
  }
  if (!pace) return std::nullopt;
  if (pace->amount <= 0) throw Error("none of the samples read can be decoded, so --on-corrupt skip left them all out");
  return CeilingTrial{.wall_seconds = pace->seconds,
                      .amount = pace->amount,
                      .way = std::string(ways[way]),
                      .cpu_seconds = pace->cpu_seconds};
}

}  // namespace loadline
