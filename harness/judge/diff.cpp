#include "harness/judge/diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "harness/judge/judgement.h"
#include "harness/judge/multiple.h"
#include "harness/judge/phrase.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// What only cells that are compared can differ in: their data and the state of its cache.
void add_differences_of_cells(const Result& base, const Result& changed, const CellPairs& pairs,
                              std::vector<Difference>& unlike) {
  std::set<std::pair<std::size_t, std::size_t>> known;
  std::set<std::pair<CacheState, CacheState>> states;
  for (const auto& [first, second] : pairs) {
    const CellResult& a = base.cells[first];
    const CellResult& b = changed.cells[second];
    if (a.cell.mode == Mode::kSynthetic) continue;  // what a resident batch holds does not matter
    const DatasetFacts& data = base.datasets[a.dataset];
    const DatasetFacts& other = changed.datasets[b.dataset];
    // Data that was not to be read before it was measured has none.
    const bool comparable = data.fingerprint && other.fingerprint;
    if (comparable && *data.fingerprint != *other.fingerprint && known.emplace(a.dataset, b.dataset).second) {
      unlike.push_back({fmt::format("data of {}", a.cell.workload),
                        fmt::format("fingerprint {:016x}", *data.fingerprint),
                        fmt::format("fingerprint {:016x}", *other.fingerprint)});
    }
    if (a.cell.cache != b.cell.cache && states.emplace(a.cell.cache, b.cell.cache).second) {
      unlike.push_back({"cache state", std::string(name(a.cell.cache)), std::string(name(b.cell.cache))});
    }
  }
}

void refuse_unlike(const Named& base, const Named& changed, const std::vector<Difference>& unlike) {
  std::vector<std::string> texts;
  for (const Difference& difference : unlike) {
    texts.push_back(fmt::format("{} ({} and {})", difference.what, difference.base, difference.changed));
  }
  throw Error(fmt::format("cannot compare {} with {}, they differ in {}; --allow-mismatch compares them all the same",
                          changed.name, base.name, fmt::join(texts, ", ")));
}

void refuse_nothing_in_common(const Named& base, const Named& changed, const Metric& metric) {
  const auto first_of = [&](const Named& file) -> std::string {
    for (const CellResult& cell : file.result.cells) {
      if (is_compared(cell.cell, metric)) return "such as " + cell.cell.name();
    }
    return "none at all";
  };
  throw Error(fmt::format("cannot compare {} with {}, they have no cell{} in common: {} in the one, {} in the other",
                          changed.name, base.name, metric.mode ? fmt::format(" of {}", name(*metric.mode)) : "",
                          first_of(changed), first_of(base)));
}

struct Values {
  std::vector<double> base;
  std::vector<double> changed;
};

Values all_values(const CellResult& base, const CellResult& changed, const Metric& metric) {
  Values values;
  for (const Trial& trial : base.trials) values.base.push_back(metric.value(trial));
  for (const Trial& trial : changed.trials) values.changed.push_back(metric.value(trial));
  return values;
}

// Those of rounds that both have.
Values values_by_round(const CellResult& base, const CellResult& changed, const Metric& metric) {
  std::map<std::size_t, double> rounds;
  for (const Trial& trial : changed.trials) rounds[trial.round] = metric.value(trial);
  Values values;
  for (const Trial& trial : base.trials) {
    const auto found = rounds.find(trial.round);
    if (found == rounds.end()) continue;
    values.base.push_back(metric.value(trial));
    values.changed.push_back(found->second);
  }
  return values;
}

std::optional<Summary> summary_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(summarize(values));
}

bool usable(double value) {
  return value > 0 && std::isfinite(value);
}

std::string obstacle_of(const Values& values, const CellResult& base, const CellResult& changed, const Metric& metric,
                        bool paired) {
  const auto failed = [](const CellResult& cell, std::string_view which) {
    return fmt::format("the {} one has no trials{}", which, cell.error ? ": " + *cell.error : "");
  };
  if (base.trials.empty()) return failed(base, "base's");
  if (changed.trials.empty()) return failed(changed, "new");
  if (values.base.empty()) return "they have no round in common";
  if (!std::ranges::all_of(values.base, usable) || !std::ranges::all_of(values.changed, usable)) {
    return fmt::format("{} is 0 in some trials, which has no ratio", metric.name);
  }
  if (values.base.size() < 2 || values.changed.size() < 2) {
    return fmt::format("a single {} has no interval, run more {}", paired ? "pair" : "trial",
                       paired ? "--pairs" : "--trials");
  }
  return "";
}

Criteria criteria_of(const ResultDiff& diff, const CellDiff& cell) {
  return {.margin = cell.margin, .alpha = diff.alpha, .higher_is_better = diff.metric->higher_is_better};
}

void compare_cells(CellDiff& cell, const CellResult& base, const CellResult& changed, const ResultDiff& diff,
                   const DiffOptions& options) {
  const Metric& metric = *diff.metric;
  const Values values = diff.paired ? values_by_round(base, changed, metric) : all_values(base, changed, metric);
  cell.name = base.cell.name();
  cell.margin = options.margin.value_or(kStandardMargin);
  cell.base_summary = summary_of(values.base);
  cell.changed_summary = summary_of(values.changed);
  cell.obstacle = obstacle_of(values, base, changed, metric, diff.paired);
  const bool positive = std::ranges::all_of(values.base, usable) && std::ranges::all_of(values.changed, usable);
  if (values.base.empty() || values.changed.empty() || !positive) return;
  const Criteria criteria = criteria_of(diff, cell);
  cell.comparison = diff.paired ? compare_pairs(values.base, values.changed, criteria)
                                : compare(values.base, values.changed, criteria);
}

// The whole gate or all else.
void adjust(ResultDiff& diff, bool gate) {
  std::vector<std::optional<double>> p;
  for (const CellDiff& cell : diff.cells) {
    if (cell.gate == gate) p.push_back(cell.comparison ? cell.comparison->ratio.p : std::nullopt);
  }
  const auto adjusted = gate ? holm(p) : benjamini_hochberg(p);
  auto next = adjusted.begin();
  for (CellDiff& cell : diff.cells) {
    if (cell.gate != gate) continue;
    cell.adjusted_p = *next++;
    if (cell.comparison) cell.change = change_of(*cell.comparison, cell.adjusted_p, criteria_of(diff, cell));
  }
}

Change verdict_of(const ResultDiff& diff) {
  std::vector<Change> gate;
  for (const CellDiff& cell : diff.cells) {
    if (cell.gate) gate.push_back(cell.change);
  }
  const bool any_gone = std::ranges::any_of(diff.gone, &Unmatched::gate);
  if (any_gone || gate.empty()) gate.push_back(Change::kInconclusive);
  for (const Change change : {Change::kRegression, Change::kInconclusive, Change::kImprovement}) {
    if (std::ranges::find(gate, change) != gate.end()) return change;
  }
  return Change::kEquivalent;
}

// Of two runs, and where rates are compared.
void heed_noise(ResultDiff& diff, const DiffOptions& options, const Named& base, const Named& changed) {
  if (diff.paired || !diff.along.empty() || diff.metric->unit != Unit::kPerSecond) return;
  bool heeded = false;
  for (CellDiff& cell : diff.cells) {
    const auto floor = floor_for(options.noise, base.result.cells[cell.base], changed.result.cells[cell.changed]);
    if (!floor || !cell.comparison) continue;
    heeded = true;
    cell.noise_floor = floor->floor;
    Weakened left = weakened(cell.change, cell.comparison->ratio.value, cell.margin, *floor);
    cell.change = left.change;
    if (cell.obstacle.empty()) cell.obstacle = std::move(left.why);
  }
  if (heeded) diff.notes = noise_notes(options.noise, base, changed);
}

void add_notes(ResultDiff& diff, const Result& base, const Result& changed) {
  for (const auto& [name, result] : {std::pair(&diff.base, &base), std::pair(&diff.changed, &changed)}) {
    if (result->status == Status::kPartial) diff.notes.push_back(fmt::format("{} is of a run that was stopped", *name));
    if (&base == &changed) break;
  }
}

// Compares what `diff` names, and judges it.
void judge_cells(ResultDiff& diff, const DiffOptions& options, const Result& base, const Result& changed) {
  for (CellDiff& cell : diff.cells) {
    compare_cells(cell, base.cells[cell.base], changed.cells[cell.changed], diff, options);
  }
  adjust(diff, true);
  adjust(diff, false);
  heed_noise(diff, options, {diff.base, base}, {diff.changed, changed});
  diff.verdict = verdict_of(diff);
  add_notes(diff, base, changed);
}

// In logarithms, over those of the two that have trials; none where neither has.
std::optional<double> mean_log_rate(const CellResult* base, const CellResult* changed) {
  Moments logs;
  for (const CellResult* cell : {base, changed}) {
    if (cell != nullptr && !cell->trials.empty()) logs.add(std::log(summarize(rates_of(*cell)).mean));
  }
  return logs.count() > 0 ? std::optional(logs.mean()) : std::nullopt;
}

// The cell that decides of one workload, as far as all of them have been looked at.
struct Deciding {
  Mode mode = Mode::kOverhead;
  double rate = 0;       // as mean_log_rate() has it
  std::size_t cell = 0;  // index in the base
};

// Of modes that may decide, the one that does.
int rank(Mode mode) {
  return mode == Mode::kFull ? 3 : mode == Mode::kIo ? 2 : mode == Mode::kSynthetic ? 1 : 0;
}

using DecidingByWorkload = std::map<std::string, Deciding>;

void consider(DecidingByWorkload& deciding, const Result& base, std::size_t cell, const CellResult* changed) {
  const CellResult& known = base.cells[cell];
  const auto rate = mean_log_rate(&known, changed);
  if (!rate) return;
  Deciding& best = deciding[known.cell.workload];
  const int better = rank(known.cell.mode) - rank(best.mode);
  if (better > 0 || (better == 0 && *rate > best.rate)) best = {known.cell.mode, *rate, cell};
}

// Indices of cells of the base.
std::set<std::size_t> gate_of(const Result& base, const Result& changed, const Matching& matching) {
  DecidingByWorkload deciding;
  for (const auto& [first, second] : matching.pairs) consider(deciding, base, first, &changed.cells[second]);
  DecidingByWorkload gone;
  for (const std::size_t cell : matching.gone) consider(gone, base, cell, nullptr);
  deciding.merge(gone);  // workloads of which nothing is left
  std::set<std::size_t> gate;
  for (const auto& [workload, one] : deciding) gate.insert(one.cell);
  return gate;
}

ResultDiff begin_diff(const Named& base, const Named& changed, const DiffOptions& options) {
  return {.base = base.name,
          .changed = changed.name,
          .metric = options.metric,
          .alpha = options.alpha,
          .unlike = unlike(base.result, changed.result),
          .noteworthy = noteworthy(base.result, changed.result)};
}

}  // namespace

ResultDiff diff_results(const Named& base, const Named& changed, const DiffOptions& options) {
  const Matching matching = match_cells(base, changed, *options.metric);
  if (matching.pairs.empty()) refuse_nothing_in_common(base, changed, *options.metric);
  ResultDiff diff = begin_diff(base, changed, options);
  add_differences_of_cells(base.result, changed.result, matching.pairs, diff.unlike);
  if (!diff.unlike.empty() && !options.allow_mismatch) refuse_unlike(base, changed, diff.unlike);
  const auto gate = gate_of(base.result, changed.result, matching);
  for (const auto& [first, second] : matching.pairs) {
    diff.cells.push_back({.name = {}, .base = first, .changed = second, .gate = gate.contains(first)});
  }
  for (const std::size_t i : matching.gone) {
    diff.gone.push_back({.name = base.result.cells[i].cell.name(), .gate = gate.contains(i)});
  }
  for (const std::size_t i : matching.added) diff.added.push_back({.name = changed.result.cells[i].cell.name()});
  judge_cells(diff, options, base.result, changed.result);
  return diff;
}

ResultDiff diff_pairs(const Named& base, const Named& changed, const DiffOptions& options) {
  ResultDiff diff = begin_diff(base, changed, options);
  diff.paired = true;
  const auto& first = base.result.cells;
  const auto& second = changed.result.cells;
  const bool alike = std::ranges::equal(
      first, second, [](const CellResult& a, const CellResult& b) { return a.cell.mode == b.cell.mode; });
  if (!alike) {
    throw Error(
        fmt::format("cannot compare {} with {} in pairs, their cells do not have the same modes in the same "
                    "order as those of the two results of `loadline ab` have",
                    changed.name, base.name));
  }
  if (!diff.unlike.empty() && !options.allow_mismatch) refuse_unlike(base, changed, diff.unlike);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (is_compared(first[i].cell, *options.metric)) diff.cells.push_back({.name = {}, .base = i, .changed = i});
  }
  if (diff.cells.empty()) refuse_nothing_in_common(base, changed, *options.metric);
  for (const Mode mode : {Mode::kFull, Mode::kIo, Mode::kSynthetic}) {
    bool any = false;
    for (CellDiff& cell : diff.cells) {
      if (first[cell.base].cell.mode == mode) any = cell.gate = true;
    }
    if (any) break;
  }
  judge_cells(diff, options, base.result, changed.result);
  return diff;
}

ResultDiff diff_along(const Named& file, std::string_view setting, std::string_view base_value,
                      const DiffOptions& options) {
  ResultDiff diff = begin_diff(file, file, options);
  diff.along = setting;
  for (AlongPair& pair : match_along(file, setting, base_value, *options.metric)) {
    diff.cells.push_back({.name = {},
                          .base_value = std::move(pair.base_value),
                          .changed_value = std::move(pair.changed_value),
                          .base = pair.base,
                          .changed = pair.changed});
  }
  judge_cells(diff, options, file.result, file.result);
  return diff;
}

}  // namespace loadline
