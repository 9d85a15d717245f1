#include "harness/judge/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "harness/judge/phrase.h"
#include "harness/plan/find.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

using Rates = std::vector<double>;
using Set = std::span<const double>;

// The trials behind a configuration whose three modes have some.
struct Basis {
  const Result& result;
  std::size_t configuration;
  const CellResult& io_cell;
  const CellResult& synthetic_cell;
  const CellResult& full_cell;
  Rates io = rates_of(io_cell);
  Rates synthetic = rates_of(synthetic_cell);
  Rates full = rates_of(full_cell);
};

// A throughput that is expected: `factor` times a rate that was measured.
struct Expected {
  double factor;
  const Rates* rates;

  double mean() const { return factor * summarize(*rates).mean; }
};

Expected slower_of(const Expected& a, const Expected& b) {
  return a.mean() < b.mean() ? a : b;
}

// FULL where the slower of loading and compute would be `slower`.
Estimate full_at(const Basis& basis, const Expected& slower) {
  const Rates* const slower_now = slower_of({1, &basis.io}, {1, &basis.synthetic}).rates;
  // A set divided by itself is known exactly.
  if (slower.rates == slower_now) return log_product(slower.factor, std::array{Set(basis.full)}, {});
  return log_product(slower.factor, std::array{Set(*slower.rates), Set(basis.full)}, std::array{Set(*slower_now)});
}

Prediction predict(const Basis& basis, const CellResult& like, std::string_view claim, const Estimate& rate_of_it) {
  return {.configuration = basis.configuration,
          .statement = fmt::format("{} {} samples/s", claim, rate(rate_of_it)),
          .cell = like.cell,
          .dataset = like.dataset,
          .samples_per_second = rate_of_it};
}

bool same_cell(const Cell& a, const Cell& b) {
  return a.name() == b.name() && a.compute == b.compute;
}

std::size_t cpus_for_workers(const Basis& basis) {
  const std::size_t in_force = basis.result.environment.machine.threads_in_force;
  const auto& own = basis.full_cell.cell.placement.worker_cpus;
  return own.empty() ? in_force : std::min(own.size(), in_force);
}

// The lowest of the ceilings of IO at another number of workers, of those that were measured; in samples per second.
std::optional<Rates> ceiling_of_io(const Basis& basis, std::size_t workers) {
  Cell cell = basis.io_cell.cell;
  cell.workers = workers;
  const auto& datasets = basis.result.datasets;
  std::optional<Rates> lowest;
  for (const Ceiling& wanted : ceilings_of(cell, basis.io_cell.dataset, datasets[basis.io_cell.dataset].info)) {
    const auto found = std::ranges::find(basis.result.ceilings, wanted, &CeilingResult::ceiling);
    if (!wanted.kind->upper_bound || found == basis.result.ceilings.end() || found->trials.empty()) continue;
    Rates rates;
    for (const CeilingTrial& trial : found->trials) {
      rates.push_back(wanted.samples_per_unit(cell.sampler.batch_size) * trial.per_second());
    }
    if (!lowest || summarize(rates).mean < summarize(*lowest).mean) lowest = std::move(rates);
  }
  return lowest;
}

// IO at another number of workers, where the sweep has it.
std::optional<Rates> measured_io(const Basis& basis, std::size_t workers) {
  Cell cell = basis.io_cell.cell;
  cell.workers = workers;
  const auto found =
      std::ranges::find_if(basis.result.cells, [&](const CellResult& one) { return same_cell(one.cell, cell); });
  if (found == basis.result.cells.end() || found->trials.empty()) return std::nullopt;
  return rates_of(*found);
}

Prediction with_workers(const Basis& basis, std::size_t workers) {
  const Expected in_proportion{static_cast<double>(workers) / static_cast<double>(basis.full_cell.cell.workers),
                               &basis.io};
  const Expected synthetic{1, &basis.synthetic};
  const auto measured = measured_io(basis, workers);
  const auto ceiling = measured ? std::nullopt : ceiling_of_io(basis, workers);
  const Expected loading = measured  ? Expected{1, &*measured}
                           : ceiling ? slower_of({1, &*ceiling}, in_proportion)
                                     : in_proportion;
  const bool still = workers < basis.full_cell.cell.workers && synthetic.mean() <= loading.mean();
  Prediction prediction = predict(
      basis, basis.full_cell,
      fmt::format("with {} worker{} FULL would {}reach", workers, workers == 1 ? "" : "s", still ? "still " : ""),
      full_at(basis, slower_of(loading, synthetic)));
  prediction.cell.workers = workers;
  return prediction;
}

Prediction with_perfect_loader(const Basis& basis) {
  const Ratio gain = log_welch_ratio(basis.full, basis.synthetic);
  Estimate share{gain.value - 1, std::nullopt};
  if (gain.ci95) share.ci95 = Interval{gain.ci95->low - 1, gain.ci95->high - 1};
  return predict(basis, basis.synthetic_cell,
                 fmt::format("a perfect loader would give {} more throughput,", percent(share)),
                 log_product(1, std::array{Set(basis.synthetic)}, {}));
}

// Of a device whose step is all that limits it: where it is slower than its rate, by a copy say, twice the rate is not
// twice the throughput.
std::optional<Prediction> with_faster_device(const Basis& basis) {
  constexpr std::string_view kRate = "samples_per_second";
  const std::string& compute = basis.full_cell.cell.compute;
  const ComputeSpec spec = parse_compute(compute);
  if (spec.kind->name != "device") return std::nullopt;
  const auto row = std::ranges::find(spec.kind->parameters, kRate, &ComputeParameter::name);
  const double asked = spec.values[static_cast<std::size_t>(row - spec.kind->parameters.begin())];
  if (summarize(basis.synthetic).mean < (1 - kNoticeable) * asked) return std::nullopt;
  const Expected slower = slower_of({2, &basis.synthetic}, {1, &basis.io});
  Prediction prediction = predict(basis, basis.full_cell, "a compute twice as fast would give", full_at(basis, slower));
  prediction.cell.compute = with_parameter(compute, kRate, 2 * asked);
  return prediction;
}

std::vector<Prediction> predictions_for(const Basis& basis, Bound bound) {
  std::vector<Prediction> predictions;
  const std::size_t workers = basis.full_cell.cell.workers;
  if (bound == Bound::kLoader) {
    const std::size_t more = std::min(2 * workers, cpus_for_workers(basis));
    if (workers > 0 && more > workers) predictions.push_back(with_workers(basis, more));
    predictions.push_back(with_perfect_loader(basis));
  } else if (bound == Bound::kCompute) {
    if (workers >= 2) predictions.push_back(with_workers(basis, workers / 2));
    if (auto faster = with_faster_device(basis)) predictions.push_back(std::move(*faster));
  }
  return predictions;
}

void hold_against(const std::vector<CellResult>& checks, Prediction& prediction) {
  const auto found =
      std::ranges::find_if(checks, [&](const CellResult& check) { return same_cell(check.cell, prediction.cell); });
  if (found == checks.end()) return;
  prediction.check = static_cast<std::size_t>(found - checks.begin());
  if (found->trials.empty()) return;
  prediction.measured = summarize(rates_of(*found));
  prediction.error = prediction.measured->mean / prediction.samples_per_second.value - 1;
  prediction.within = overlap({prediction.measured->mean, prediction.measured->ci95}, prediction.samples_per_second);
}

}  // namespace

std::vector<Prediction> predictions_of(const Result& result, const Judgement& judgement) {
  std::vector<Prediction> predictions;
  for (const Headline& headline : judgement.headlines) {
    const Configuration& configuration = judgement.configurations[headline.configuration];
    const Bound bound = configuration.verdict.bound;
    if (bound != Bound::kLoader && bound != Bound::kCompute) continue;  // the other bounds may lack trials of a mode
    const Basis basis{.result = result,
                      .configuration = headline.configuration,
                      .io_cell = result.cells[*configuration.io],
                      .synthetic_cell = result.cells[*configuration.synthetic],
                      .full_cell = result.cells[*configuration.full]};
    for (Prediction& prediction : predictions_for(basis, bound)) predictions.push_back(std::move(prediction));
  }
  for (Prediction& prediction : predictions) hold_against(result.checks, prediction);
  return predictions;
}

}  // namespace loadline
