#include "harness/judge/verdict_figures.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "harness/judge/load_line.h"

namespace loadline {
namespace {

// One set of rates as a share of another.
std::optional<Estimate> ratio(std::span<const double> base, std::span<const double> changed) {
  if (base.empty() || changed.empty()) return std::nullopt;
  const Ratio found = log_welch_ratio(base, changed);
  return Estimate{found.value, found.ci95};
}

std::optional<Estimate> one_minus(const std::optional<Estimate>& estimate) {
  if (!estimate) return std::nullopt;
  Estimate rest{1 - estimate->value, std::nullopt};
  if (estimate->ci95) rest.ci95 = Interval{1 - estimate->ci95->high, 1 - estimate->ci95->low};
  return rest;
}

// Time is the datum, so the mean is over seconds per sample, not over rates.
Moments seconds_per_sample(std::span<const double> rates) {
  Moments moments;
  for (const double rate : rates) moments.add(1 / rate);
  return moments;
}

// With m the shorter and M the longer of the mean times of L and SYNTHETIC and F that of FULL,
// E = (m + M - F) / m = 1 + (M - F) / m, whose gradient is dE/dm = (1 - E) / m, dE/dM = 1 / m, dE/dF = -1 / m.
// The interval is E ± t u with u^2 = sum (gradient^2 s^2 / n) (law of propagation, JCGM 100:2008, eq. 10) and t at the
// Welch-Satterthwaite degrees of freedom (its G.2b). Which of the two is shorter is taken as known; at a tie
// that lifts E by about a tenth of the half width, and the interval still covers 95 % (by simulation, n of 3 to 10).
std::optional<Estimate> overlap_efficiency(const Evidence& evidence) {
  if (evidence.fill.empty() || evidence.synthetic.empty() || evidence.full.empty()) return std::nullopt;
  Moments shorter = seconds_per_sample(evidence.fill);
  Moments longer = seconds_per_sample(evidence.synthetic);
  if (shorter.mean() > longer.mean()) std::swap(shorter, longer);
  const Moments full = seconds_per_sample(evidence.full);

  const double value = 1 + (longer.mean() - full.mean()) / shorter.mean();
  Estimate efficiency{value, std::nullopt};
  if (shorter.count() < 2 || longer.count() < 2 || full.count() < 2) return efficiency;

  // Times are divided by m here, so that the gradient has no unit and nothing underflows.
  const auto term = [&](double gradient, const Moments& moments) {
    const auto count = static_cast<double>(moments.count());
    const double spread = gradient * *moments.stddev() / shorter.mean();
    return VarianceTerm{spread * spread / count, count - 1};
  };
  const double half = half_width_95(combine(std::array{term(1 - value, shorter), term(1, longer), term(-1, full)}));
  efficiency.ci95 = Interval{value - half, value + half};
  return efficiency;
}

// How many times its overhead a step lasts at these rates.
std::optional<Estimate> step_overhead(const Evidence& evidence, std::span<const double> rates) {
  const bool costs = std::ranges::any_of(evidence.overhead, [](double seconds) { return seconds > 0; });
  if (!costs || rates.empty()) return std::nullopt;
  std::vector<double> steps;
  for (const double rate : rates) steps.push_back(static_cast<double>(evidence.batch_size) / rate);
  std::vector<double> overheads;
  for (const double seconds : evidence.overhead) {
    if (seconds > 0) overheads.push_back(seconds);
  }
  return ratio(overheads, steps);
}

Bounds bounds_of(const Interval& interval) {
  return {interval.low, interval.high};
}

// Bounds of the larger of two figures with these 95 % bounds: that both lie below the upper end, or one above the
// lower, is at least as certain as for one alone.
Bounds larger_of(const Bounds& a, const Bounds& b) {
  Bounds larger{.low = std::max(a.low, b.low), .high = std::nullopt};
  if (a.high && b.high) larger.high = std::max(*a.high, *b.high);
  return larger;
}

// L was measured.
void add_measured(const Evidence& evidence, Figures& figures) {
  Verdict& verdict = figures.verdict;
  verdict.supply_measured = true;
  verdict.supply = ratio(evidence.synthetic, evidence.fill);
  figures.full_of_fill = ratio(evidence.fill, evidence.full);
  if (!verdict.supply) return;
  if (verdict.supply->ci95) figures.supply = bounds_of(*verdict.supply->ci95);
  if (!figures.full_of_fill) return;
  // min(SYNTHETIC, L) is the set with the smaller mean; a share of it is the larger of the two shares.
  verdict.of_bound = verdict.supply->value < 1 ? figures.full_of_fill : verdict.accelerator_utilisation;
  const auto& of_fill = figures.full_of_fill->ci95;
  const auto& of_synthetic = verdict.accelerator_utilisation->ci95;
  if (of_fill && of_synthetic) figures.of_bound = larger_of(bounds_of(*of_synthetic), bounds_of(*of_fill));
}

// L is at least what IO and FULL reached, and at most `fill_at_most`. FULL over L is then at most FULL over IO and at
// most 1, and at least FULL over `fill_at_most`.
void add_bracketed(const Evidence& evidence, Figures& figures) {
  Verdict& verdict = figures.verdict;
  const auto io = ratio(evidence.synthetic, evidence.io);
  verdict.supply = io;
  if (!io) return;
  const auto& full = verdict.accelerator_utilisation;
  if (full && full->value > io->value) verdict.supply = full;
  verdict.supply_at_most = ratio(evidence.synthetic, evidence.fill_at_most);
  if (io->ci95) figures.supply.low = io->ci95->low;
  if (full && full->ci95) figures.supply.low = std::max(figures.supply.low, full->ci95->low);
  if (verdict.supply_at_most && verdict.supply_at_most->ci95) figures.supply.high = verdict.supply_at_most->ci95->high;
  figures.full_of_fill = ratio(evidence.io, evidence.full);
  if (!full || !full->ci95 || !figures.full_of_fill || !figures.full_of_fill->ci95) return;
  const auto lowest = ratio(evidence.fill_at_most, evidence.full);
  const Bounds of_fill{.low = lowest && lowest->ci95 ? lowest->ci95->low : 0,
                       .high = std::min(figures.full_of_fill->ci95->high, 1.0)};
  figures.of_bound = larger_of(bounds_of(*full->ci95), of_fill);
}

bool drained(const Evidence& evidence) {
  const auto& reached = evidence.ceiling_efficiency;
  return evidence.drain_binds && reached && reached->ci95 && reached->ci95->low >= kNearCeiling;
}

bool has_one_trial(const Evidence& evidence) {
  const auto& loading = evidence.fill.empty() ? evidence.io : evidence.fill;
  return loading.size() == 1 || evidence.synthetic.size() == 1 || evidence.full.size() == 1;
}

void pin(std::optional<Estimate>& estimate) {
  if (estimate) estimate->ci95 = Interval{estimate->value, estimate->value};
}

}  // namespace

Figures figures_of(const Evidence& evidence) {
  Figures figures{};
  Verdict& verdict = figures.verdict;
  verdict.accelerator_utilisation = ratio(evidence.synthetic, evidence.full);
  verdict.stall = one_minus(verdict.accelerator_utilisation);
  verdict.overlap_efficiency = overlap_efficiency(evidence);
  figures.step_overhead = step_overhead(evidence, evidence.full);
  const auto alone = step_overhead(evidence, evidence.synthetic);
  figures.blurred_step = alone && alone->value < kOverheadMargin;
  const auto [fewer, more] = std::minmax(evidence.synthetic_batch, evidence.full_batch);
  figures.unlike_batches = fewer > 0 && fewer < (1 - kNoticeable) * more;
  if (evidence.fill.empty()) {
    add_bracketed(evidence, figures);
  } else {
    add_measured(evidence, figures);
  }
  figures.single = has_one_trial(evidence);
  figures.with_full = !evidence.full.empty();
  figures.drained = drained(evidence);
  if (verdict.accelerator_utilisation && figures.full_of_fill) {
    const double of_fill = figures.full_of_fill->value;
    figures.of_bound_value =
        std::max(verdict.accelerator_utilisation->value, verdict.supply_measured ? of_fill : std::min(of_fill, 1.0));
  }
  return figures;
}

Figures at_values(const Figures& figures) {
  Figures pinned = figures;
  Verdict& verdict = pinned.verdict;
  for (auto* const estimate : {&verdict.stall, &verdict.accelerator_utilisation, &verdict.supply,
                               &verdict.supply_at_most, &pinned.full_of_fill, &pinned.step_overhead}) {
    pin(*estimate);
  }
  pinned.single = false;
  if (!verdict.supply || !verdict.stall || !pinned.full_of_fill) return pinned;
  const double supply = verdict.supply->value;
  pinned.supply = {.low = supply, .high = verdict.supply_measured ? std::optional(supply) : std::nullopt};
  pinned.of_bound = {.low = figures.of_bound_value, .high = figures.of_bound_value};
  if (verdict.supply_measured) return pinned;
  const double utilisation = verdict.accelerator_utilisation->value;
  pinned.of_bound.low = utilisation;
  if (!verdict.supply_at_most) return pinned;
  pinned.supply.high = verdict.supply_at_most->value;
  pinned.of_bound.low = std::max(utilisation, utilisation / verdict.supply_at_most->value);
  return pinned;
}

}  // namespace loadline
