#include "harness/forecast/basis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/forecast/named_numbers.h"
#include "harness/judge/cost.h"
#include "harness/judge/filling.h"
#include "harness/judge/rate_interval.h"
#include "harness/judge/stored_reads.h"
#include "loaders/datasets/script.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/names.h"
#include "loaders/storage/files_ahead.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

const CellResult* cell_at(const Result& result, const std::optional<std::size_t>& index) {
  if (!index || rates_of(result.cells[*index]).empty()) return nullptr;
  return &result.cells[*index];
}

// The cells of one configuration that have trials.
struct CellsOfModes {
  const CellResult* io = nullptr;
  const CellResult* synthetic = nullptr;
  const CellResult* full = nullptr;

  const CellResult& loading() const { return full == nullptr ? *io : *full; }
};

CellsOfModes cells_of(const Result& result, const Configuration& configuration) {
  return {cell_at(result, configuration.io), cell_at(result, configuration.synthetic),
          cell_at(result, configuration.full)};
}

bool is_named(const std::string& name, std::string_view whole) {
  return name == whole;
}

bool is_named_in_part(const std::string& name, std::string_view part) {
  return name.find(part) != std::string::npos;
}

// Configurations that load and have a cell with such a name.
std::vector<const Configuration*> configurations_named(const Result& result, const Judgement& judgement,
                                                       std::string_view text,
                                                       bool (*matches)(const std::string&, std::string_view)) {
  const auto has = [&](const std::optional<std::size_t>& cell) {
    return cell && matches(result.cells[*cell].cell.name(), text);
  };
  std::vector<const Configuration*> found;
  for (const Configuration& one : judgement.configurations) {
    if (has(one.full) || has(one.io)) found.push_back(&one);
  }
  return found;
}

// Of several cells the hint names one part of their names, such as a loader.
Error no_cell(const Result& result, const Judgement& judgement, std::string_view part, const std::string& source) {
  std::vector<std::string> names;
  for (const Configuration* one : configurations_named(result, judgement, "", is_named_in_part)) {
    names.push_back(result.cells[one->full ? *one->full : *one->io].cell.name());
  }
  if (names.empty()) {
    return Error(fmt::format("forecast: {} has no trials of IO or FULL, which say what loading takes", source));
  }
  std::vector<std::string_view> parts;
  for (const std::string_view name : names) {
    for (std::size_t begin = 0; begin <= name.size();) {
      const std::size_t end = std::min(name.find('/', begin), name.size());
      parts.push_back(name.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return usage_error(fmt::format("--cell '{}': want the name of a loader's cell of {} or a part of it, such as {}{}",
                                 part, source, names.front(), hint_of(part, parts)));
}

const Configuration& chosen(const Result& result, const Judgement& judgement, std::string_view part,
                            const std::string& source) {
  auto found = configurations_named(result, judgement, part, is_named);
  if (found.empty()) found = configurations_named(result, judgement, part, is_named_in_part);
  if (found.empty()) throw no_cell(result, judgement, part, source);
  if (found.size() == 1) return *found.front();
  if (part.empty() && judgement.headlines.size() == 1) {
    return judgement.configurations[judgement.headlines.front().configuration];
  }
  const CellsOfModes cells = cells_of(result, *found.front());
  const std::string example = cells.full == nullptr && cells.io == nullptr
                                  ? ""
                                  : fmt::format(", such as --cell {}", cells.loading().cell.name());
  throw usage_error(fmt::format("forecast: {} has {} configurations{}; choose one with --cell{}", source, found.size(),
                                part.empty() ? "" : fmt::format(" with '{}' in their names", part), example));
}

// `cell`: the value of --cell; empty if it was not given.
std::string choice_of(const Result& result, const Judgement& judgement, std::string_view cell) {
  const std::size_t all = configurations_named(result, judgement, "", is_named_in_part).size();
  if (!cell.empty() || all < 2) return "";
  return fmt::format("{} {} configurations",
                     judgement.headlines.front().recommended ? "recommended among" : "the fastest of", all);
}

// The rate of one rank, as its mean with the interval, from rates that `ranks` ranks reached together.
Estimate estimate_of(std::vector<double> rates, double ranks) {
  for (double& rate : rates) rate /= ranks;
  const Summary summary = summarize(rates);
  return {summary.mean, rate_interval(summary)};
}

double ranks_of(const CellResult& cell) {
  return cell.trials.empty() ? 1 : static_cast<double>(cell.trials.front().rank_count());
}

// How much of the shorter of loading and step passes beside the longer, from 0 to 1, without workers. `together`: the
// rate of FULL.
double overlap_of(double load, double step, double together) {
  return std::clamp((1 / load + 1 / step - 1 / together) * std::max(load, step), 0.0, 1.0);
}

// Neither loading nor the step can be slower alone than both together. Returns what was measured if it is, noticeably
// and beyond noise. Rates without intervals, such as given figures, count as exact.
std::optional<Estimate> raise(Estimate& rate, const Estimate& together) {
  if (together.value <= rate.value) return std::nullopt;
  const Estimate measured = rate;
  const auto ends = [](const Estimate& estimate) {
    return estimate.ci95.value_or(Interval{estimate.value, estimate.value});
  };
  const auto [low, high] = ends(rate);
  const auto [low_of_both, high_of_both] = ends(together);
  rate.value = together.value;
  if (rate.ci95 || together.ci95) rate.ci95 = Interval{std::max(low, low_of_both), std::max(high, high_of_both)};
  const bool surely = low_of_both > (1 + kNoticeable) * high;
  return surely ? std::optional(measured) : std::nullopt;
}

void add_step(Basis& basis, const CellResult& synthetic) {
  const double ranks = ranks_of(synthetic);
  basis.step_per_second = estimate_of(rates_of(synthetic), ranks);
  Moments seconds;
  Moments steps;
  for (const Trial& trial : synthetic.trials) {
    if (trial.pilot || trial.batches == 0) continue;
    const double batches = static_cast<double>(trial.batches) / ranks;
    seconds.add(trial.wall_seconds / batches);
    steps.add(batches);
  }
  basis.step_variation = seconds.stddev().value_or(0) / seconds.mean();
  basis.steps_of_trial = steps.mean();
}

void add_samples(Basis& basis, const CellResult& cell, const DatasetFacts& facts) {
  const DatasetInfo& info = facts.info;
  basis.reads_unseen = info.format == kScriptFormat;
  if (basis.reads_unseen) return;
  basis.dataset_samples = static_cast<double>(info.samples);
  basis.dataset_bytes = static_cast<double>(info.all_bytes());
  basis.bytes_per_sample = stored_bytes_per_sample(cell, facts);
  if (info.volume) {
    const auto edge = static_cast<double>(cell.cell.dataset.crop_edge);
    basis.requests_per_sample = edge * edge;  // a row of the crop each
    basis.random_crops = true;
  } else if (info.tokens) {
    basis.random_crops = cell.cell.dataset.sequences == Sequences::kRandom;
  }
}

void add_start(Basis& basis, const CellResult& cell) {
  if (!cell.first_epoch) return;
  const FirstEpoch& first = *cell.first_epoch;
  basis.start_up_seconds = first.open_seconds + first.first_batch_seconds;
}

// Only for photographs in files: all other data is read one by one, whatever --read says.
bool are_announced(const DatasetInfo& info) {
  return info.access == Access::kFiles && info.encoded;
}

void add_flight(Basis& basis, const Cell& cell, const DatasetInfo& info) {
  const std::size_t workers = std::max<std::size_t>(cell.workers, 1);
  const FileRead read = are_announced(info) ? cell.dataset.read : FileRead::kMmap;
  switch (read) {
    case FileRead::kUring: {
      const bool shared = cell.loader && shares_requests(*cell.loader);
      basis.reading = shared ? Reading::kAhead : Reading::kBatchwise;
      basis.in_flight = (shared ? 1 : workers) * cell.dataset.ahead.requests;
      return;
    }
    case FileRead::kPread:
      basis.reading = Reading::kBatchwise;
      basis.in_flight = workers * kFilesAhead;
      return;
    case FileRead::kMmap:
      basis.reading = Reading::kOneByOne;
      basis.in_flight = workers;
      return;
  }
}

double gradient_bytes_of(const std::string& compute) {
  if (may_name_external_compute(compute)) return 0;
  const ComputeSpec spec = parse_compute(compute);
  for (std::size_t i = 0; i < spec.kind->parameters.size(); ++i) {
    if (spec.kind->parameters[i].name == "gradient_bytes") return spec.values[i];
  }
  return 0;
}

std::optional<double> cpu_seconds_of(const CellResult* cell) {
  const auto cost = cell == nullptr ? std::nullopt : cost_per_thousand_samples(cell->trials);
  if (!cost) return std::nullopt;
  return cost->cpu_seconds.mean / 1000;
}

// Workers that wait for the step also use CPU time, looking for work; they would leave it to others.
void add_cpu(Basis& basis, const CellsOfModes& cells) {
  constexpr double kHeldBack = 0.9;  // FULL over what the loader fills
  const auto load = cpu_seconds_of(cells.io);
  const auto step = cpu_seconds_of(cells.synthetic);
  const auto both = cpu_seconds_of(cells.full);
  basis.cpu_seconds_per_sample = both.value_or(load.value_or(0));
  if (!load || !step || !both) return;
  if (basis.together_per_second->value >= kHeldBack * basis.load_per_second.value) return;
  basis.cpu_seconds_per_sample = std::min(*both, *load + *step);
}

}  // namespace

double Basis::side_by_side(double load_rate, double step_rate) const {
  const auto [shorter, longer] = std::minmax({1 / load_rate, 1 / step_rate});
  return 1 / (longer + (1 - overlap) * shorter);
}

double Basis::coupling(double load_rate, double step_rate, std::optional<double> together) const {
  return together ? std::min(1.0, *together / side_by_side(load_rate, step_rate)) : 1;
}

double Basis::coupling() const {
  return coupling(load_per_second.value, step_per_second.value,
                  together_per_second ? std::optional(together_per_second->value) : std::nullopt);
}

double Basis::worker_seconds_per_sample() const {
  return static_cast<double>(std::max<std::size_t>(workers, 1)) / load_per_second.value;
}

Basis basis_of(const Result& result, const Judgement& judgement, std::string_view cell, const std::string& source) {
  const Configuration& configuration = chosen(result, judgement, cell, source);
  const CellsOfModes cells = cells_of(result, configuration);
  if (cells.io == nullptr && cells.full == nullptr) {
    throw Error(fmt::format("forecast: {} has no trials of IO or FULL, which say what loading takes", source));
  }
  if (cells.synthetic == nullptr) {
    throw Error(fmt::format("forecast: {} has no trials of SYNTHETIC, which say what the step takes: {}", source,
                            configuration.synthetic ? "that cell failed, or the run was stopped before it"
                                                    : "run with --mode io,synthetic,full"));
  }
  const CellResult& loading = cells.loading();
  const DatasetFacts& facts = result.datasets[loading.dataset];
  const double ranks = ranks_of(loading);
  Basis basis{.name = loading.cell.name(),
              .choice = choice_of(result, judgement, cell),
              .batch_size = loading.cell.sampler.batch_size,
              .workers = loading.cell.workers,
              .prefetch = loading.prefetch,
              .load_per_second = estimate_of(filling_of(cells.io, cells.full).rates, ranks),
              .step_per_second = {},
              .cpus = loading.cell.threads_in_force};
  if (basis.workers == 0) basis.overlap = 0;
  add_step(basis, *cells.synthetic);
  add_flight(basis, loading.cell, facts.info);
  const CellResult& reading = cells.io == nullptr ? *cells.full : *cells.io;
  // Opening counts as work: the latency given for a read does not cover it.
  basis.read_seconds_per_sample = seconds_per_sample_in(reading, {WorkerStage::kRead});
  basis.from_storage = reads_from_storage(reading, facts);
  add_samples(basis, loading, facts);
  add_start(basis, loading);
  if (cells.full != nullptr) {
    basis.together_per_second = estimate_of(rates_of(*cells.full), ranks);
    basis.slower_load_per_second = raise(basis.load_per_second, *basis.together_per_second);
    basis.slower_step_per_second = raise(basis.step_per_second, *basis.together_per_second);
    if (basis.workers == 0) {
      basis.overlap =
          overlap_of(basis.load_per_second.value, basis.step_per_second.value, basis.together_per_second->value);
    }
  }
  add_cpu(basis, cells);
  basis.gradient_bytes = gradient_bytes_of(cells.synthetic->cell.compute);
  return basis;
}

Basis basis_of_figures(std::string_view option, std::string_view text) {
  double io = 0;
  double synthetic = 0;
  double full = 0;
  double batch = 1;
  double workers = 1;
  double first_epoch = 0;
  double crops = 0;
  Basis basis{.name = std::string(text), .load_per_second = {}, .step_per_second = {}};
  const std::array parts{
      NumberPart{.name = "io", .value = &io, .above_least = true},
      NumberPart{.name = "synthetic", .value = &synthetic, .above_least = true},
      NumberPart{.name = "full", .value = &full, .above_least = true},
      NumberPart{.name = "batch", .value = &batch, .least = 1, .most = 1e9, .whole = true},
      NumberPart{.name = "workers", .value = &workers, .least = 1, .most = 1e6, .whole = true},
      NumberPart{.name = "first_epoch", .value = &first_epoch, .least = 1e-9},
      NumberPart{.name = "sample_bytes", .value = &basis.bytes_per_sample},
      NumberPart{.name = "requests", .value = &basis.requests_per_sample, .most = 1e12, .above_least = true},
      NumberPart{.name = "dataset_bytes", .value = &basis.dataset_bytes},
      NumberPart{.name = "epoch_samples", .value = &basis.dataset_samples, .most = 1e15},
      NumberPart{.name = "gradient_bytes", .value = &basis.gradient_bytes},
      NumberPart{.name = "step_variation", .value = &basis.step_variation, .most = 10},
      NumberPart{.name = "trial_steps", .value = &basis.steps_of_trial, .least = 1, .most = 1e15},
      NumberPart{.name = "crops", .value = &crops, .most = 1, .whole = true}};
  read_numbers(option, text, parts);
  for (const auto& [name, value] : {std::pair("io", io), std::pair("synthetic", synthetic)}) {
    if (value == 0) throw usage_error(fmt::format("{}: want {}=SAMPLES_PER_SECOND, which is missing", option, name));
  }
  check_sample_fits(option, basis);
  if (crops > 0 && basis.dataset_samples <= 0) {
    throw usage_error(fmt::format("{}: crops=1 needs epoch_samples=N, the samples that an epoch draws", option));
  }
  basis.batch_size = static_cast<std::size_t>(batch);
  basis.workers = static_cast<std::size_t>(workers);
  basis.in_flight = basis.workers;
  basis.prefetch = 2;
  basis.load_per_second.value = io;
  basis.step_per_second.value = synthetic;
  basis.random_crops = crops > 0;
  if (full > 0) {
    basis.together_per_second = Estimate{full, std::nullopt};
    basis.slower_load_per_second = raise(basis.load_per_second, *basis.together_per_second);
    basis.slower_step_per_second = raise(basis.step_per_second, *basis.together_per_second);
  }
  const double later = full > 0 ? full : std::min(io, synthetic);
  if (first_epoch > 0) basis.cold_seconds_per_sample = std::max(0.0, 1 / first_epoch - 1 / later);
  return basis;
}

void check_sample_fits(std::string_view option, const Basis& basis) {
  if (basis.dataset_bytes <= 0 || basis.bytes_per_sample <= basis.dataset_bytes) return;
  throw usage_error(fmt::format("{}: a sample of {:g} bytes is larger than the dataset of {:g} bytes", option,
                                basis.bytes_per_sample, basis.dataset_bytes));
}

}  // namespace loadline
