#include "harness/judge/cell_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/changes.h"
#include "harness/result/counted.h"

namespace loadline {
namespace {

struct Values {
  std::vector<double> base;
  std::vector<double> changed;
};

Values all_values(const CellResult& base, const CellResult& changed, const Metric& metric) {
  Values values;
  for (const Trial& trial : counted(base.trials)) values.base.push_back(metric.value(trial));
  for (const Trial& trial : counted(changed.trials)) values.changed.push_back(metric.value(trial));
  return values;
}

Values values_of(std::span<const TrialPair> pairs, const Metric& metric) {
  Values values;
  for (const TrialPair& pair : pairs) {
    values.base.push_back(metric.value(*pair.base));
    values.changed.push_back(metric.value(*pair.changed));
  }
  return values;
}

bool is_missing(double value) {
  return std::isnan(value);
}

std::optional<Summary> summary_of(const std::vector<double>& values) {
  return values.empty() || std::ranges::any_of(values, is_missing) ? std::nullopt : std::optional(summarize(values));
}

bool usable(double value) {
  return value > 0 && std::isfinite(value);
}

std::string obstacle_of(const Values& values, const CellResult& base, const CellResult& changed, const Metric& metric,
                        bool paired) {
  const auto failed = [](const CellResult& cell, std::string_view which) {
    return fmt::format("{} has no trials{}", which, cell.error ? ": " + *cell.error : "");
  };
  if (base.trials.empty()) return failed(base, "the base");
  if (changed.trials.empty()) return failed(changed, "the new result");
  if (values.base.empty()) return "they have no round in common";
  if (std::ranges::any_of(values.base, is_missing) || std::ranges::any_of(values.changed, is_missing)) {
    const bool none = std::ranges::all_of(values.base, is_missing) && std::ranges::all_of(values.changed, is_missing);
    return fmt::format("{} was not measured{}", metric.name, none ? "" : " in some trials");
  }
  if (!std::ranges::all_of(values.base, usable) || !std::ranges::all_of(values.changed, usable)) {
    return fmt::format("{} is 0 in some trials, so there is no ratio", metric.name);
  }
  if (values.base.size() < 2 || values.changed.size() < 2) {
    return fmt::format("a single {} has no interval; use more {}", paired ? "pair" : "trial",
                       paired ? "--pairs" : "--trials");
  }
  return "";
}

// Moves each changed value towards the base's by as much as other processes can have slowed the slower trial of the
// pair. What slowed the faster one only hid a part of the difference.
std::vector<double> beyond_others(const Values& values, std::span<const PairLoad> loads, bool higher_is_better) {
  std::vector<double> changed;
  for (std::size_t i = 0; i < values.base.size(); ++i) {
    const double ratio = std::log(values.changed[i] / values.base[i]);
    const OtherLoad& slower = (ratio < 0) == higher_is_better ? loads[i].changed : loads[i].base;
    const double left = std::max(0.0, std::abs(ratio) - slower.slowed);
    changed.push_back(values.base[i] * std::exp(std::copysign(left, ratio)));
  }
  return changed;
}

// Pairs and what other processes did during them, without the busy ones if enough quiet ones remain.
struct PairedTrials {
  std::vector<TrialPair> pairs;
  std::vector<PairLoad> loads;
  BusyCount count;
};

PairedTrials paired_trials(const CellResult& base, const CellResult& changed, const RunCpus& cpus) {
  PairedTrials trials{.pairs = pairs_by_round(base, changed), .loads = {}, .count = {}};
  trials.loads = other_loads(trials.pairs, cpus);
  trials.count = {.busy = static_cast<std::size_t>(std::ranges::count_if(trials.loads, &PairLoad::busy)),
                  .pairs = trials.pairs.size()};
  if (trials.count.busy == 0 || !trials.count.may_be_set_aside()) return trials;
  PairedTrials quiet{.pairs = {}, .loads = {}, .count = trials.count};
  for (std::size_t i = 0; i < trials.pairs.size(); ++i) {
    if (trials.loads[i].busy()) continue;
    quiet.pairs.push_back(trials.pairs[i]);
    quiet.loads.push_back(trials.loads[i]);
  }
  return quiet;
}

}  // namespace

Criteria criteria_of(const ResultDiff& diff, const CellDiff& cell) {
  return {.margin = cell.margin, .alpha = diff.alpha, .higher_is_better = diff.metric->higher_is_better};
}

void compare_cells(CellDiff& cell, const CellResult& base, const CellResult& changed, const ResultDiff& diff,
                   const DiffOptions& options, const RunCpus& cpus) {
  const Metric& metric = *diff.metric;
  const PairedTrials trials = diff.paired ? paired_trials(base, changed, cpus) : PairedTrials();
  const Values values = diff.paired ? values_of(trials.pairs, metric) : all_values(base, changed, metric);
  cell.name = base.cell.name();
  cell.changed_name = changed.cell.name();
  cell.shared_name = shared_name(base.cell, cell.changes);
  cell.workload = base.cell.workload;
  cell.mode = base.cell.mode;
  cell.margin = options.margin.value_or(kStandardMargin);
  cell.busy = trials.count;
  cell.base_summary = summary_of(values.base);
  cell.changed_summary = summary_of(values.changed);
  cell.obstacle = obstacle_of(values, base, changed, metric, diff.paired);
  const bool positive = std::ranges::all_of(values.base, usable) && std::ranges::all_of(values.changed, usable);
  if (values.base.empty() || values.changed.empty() || !positive) return;
  const Criteria criteria = criteria_of(diff, cell);
  cell.comparison = diff.paired ? compare_pairs(values.base, values.changed, criteria)
                                : compare(values.base, values.changed, criteria);
  if (cell.busy.may_be_set_aside()) return;
  const std::vector<double> left = beyond_others(values, trials.loads, metric.higher_is_better);
  const Ratio beyond = compare_pairs(values.base, left, criteria).ratio;
  const bool matters = std::abs(std::log(beyond.value)) > std::log1p(cell.margin);
  cell.comparison->ratio.p = matters ? beyond.p : 1;
}

}  // namespace loadline
