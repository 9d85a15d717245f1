#include "harness/judge/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/judge/busy_pairs.h"
#include "harness/judge/cell_diff.h"
#include "harness/judge/changes.h"
#include "harness/judge/comparable.h"
#include "harness/judge/diff_doubts.h"
#include "harness/judge/gate.h"
#include "harness/judge/judgement.h"
#include "harness/judge/multiple.h"
#include "harness/judge/phrase.h"
#include "loaders/error.h"
#include "loaders/listed.h"

namespace loadline {
namespace {

// Of a cell the comparison that it belongs to.
struct JudgedCell {
  CellDiff* cell;
  const ResultDiff* diff;
};

// The whole gate or all else.
void adjust(std::span<ResultDiff> diffs, bool gate) {
  std::vector<JudgedCell> judged;
  std::vector<std::optional<double>> p;
  for (ResultDiff& diff : diffs) {
    for (CellDiff& cell : diff.cells) {
      if (cell.gate != gate) continue;
      judged.push_back({&cell, &diff});
      p.push_back(cell.comparison ? cell.comparison->ratio.p : std::nullopt);
    }
  }
  const auto adjusted = gate ? holm(p) : benjamini_hochberg(p);
  auto next = adjusted.begin();
  for (const auto& [cell, diff] : judged) {
    cell->adjusted_p = *next++;
    if (cell->comparison) cell->change = change_of(*cell->comparison, cell->adjusted_p, criteria_of(*diff, *cell));
  }
}

Change verdict_of(const ResultDiff& diff) {
  std::vector<Change> gate;
  for (const CellDiff& cell : diff.cells) {
    if (cell.gate) gate.push_back(cell.change);
  }
  if (!diff.lost.empty() || gate.empty()) gate.push_back(Change::kInconclusive);
  return worst_of(gate);
}

void add_notes(ResultDiff& diff, const Result& base, const Result& changed) {
  for (const auto& [name, result] : {std::pair(&diff.base, &base), std::pair(&diff.changed, &changed)}) {
    if (result->status == Status::kPartial) {
      diff.notes.push_back(result->merged_from.empty()
                               ? fmt::format("{} comes from a run that was stopped", *name)
                               : fmt::format("{}: parts of the run are missing, or were stopped", *name));
    } else if (const std::string empty = empty_cells_text(*result); !empty.empty()) {
      diff.notes.push_back(fmt::format("{}: {}", *name, empty));
    }
    if (&base == &changed) return;
  }
  if (!base.run_id.empty() && base.run_id == changed.run_id) {
    diff.notes.push_back(
        fmt::format("{} and {} are the same run, so they say nothing about two runs", diff.base, diff.changed));
  }
}

// Which configuration of several is compared with a single one.
void note_ones(ResultDiff& diff, const Result& base, const Result& changed, const std::vector<OneOfSeveral>& ones) {
  for (const OneOfSeveral& one : ones) {
    const std::string& several = one.several_in_base ? diff.base : diff.changed;
    const std::string& single = one.several_in_base ? diff.changed : diff.base;
    if (!one.counterpart) {
      diff.notes.push_back(fmt::format(
          "none of the {} configurations of {} in {} is the counterpart of the one in {}, so the fastest are compared",
          one.several, one.workload, several, single));
      continue;
    }
    const Result& its = one.several_in_base ? base : changed;
    diff.notes.push_back(
        fmt::format("of the {} configurations of {} in {}, {} is compared, the counterpart of the one "
                    "in {}",
                    one.several, one.workload, several, its.cells[*one.counterpart].cell.name(), single));
  }
}

// Cells that decide and cannot, one sentence for all that have the same cause.
void add_cells_without_trials(ResultDiff& diff) {
  std::vector<std::pair<std::string, std::vector<std::string>>> cells_by_cause;
  for (const CellDiff& cell : diff.cells) {
    if (!cell.gate || (cell.base_summary && cell.changed_summary)) continue;
    const auto known = std::ranges::find(cells_by_cause, cell.obstacle, [](const auto& one) { return one.first; });
    auto& cells =
        known == cells_by_cause.end() ? cells_by_cause.emplace_back(cell.obstacle, std::vector<std::string>()) : *known;
    cells.second.push_back(cell.name);
  }
  for (const auto& [cause, cells] : cells_by_cause) {
    const bool one = cells.size() == 1;
    diff.lost.push_back(fmt::format("{} {} but {} no figures to decide by: {}", listed(cells),
                                    one ? "decides" : "decide", one ? "has" : "have", cause));
  }
}

// Compares what `diff` names.
void compare_all(ResultDiff& diff, const DiffOptions& options, const Result& base, const Result& changed) {
  const RunCpus cpus = run_cpus(base);
  for (CellDiff& cell : diff.cells) {
    compare_cells(cell, base.cells[cell.base], changed.cells[cell.changed], diff, options, cpus);
  }
  add_cells_without_trials(diff);
}

// Whose the changes of FULL are, where partners were set up differently.
void add_shares(ResultDiff& diff, const Result& base, const Result& changed) {
  const auto is_meant = [&](const CellDiff& cell) {
    return base.cells[cell.base].cell.mode == Mode::kFull && !cell.changes.empty();
  };
  if (std::ranges::none_of(diff.cells, is_meant)) return;
  const Judgement before = judge_run(base);
  const Judgement after = judge_run(changed);
  for (CellDiff& cell : diff.cells) {
    if (is_meant(cell)) cell.shares = shares_between(base, before, cell.base, changed, after, cell.changed);
  }
}

CellDiff partners(const Named& base, const Named& changed, const Match& pair) {
  CellDiff cell;
  cell.by = pair.by;
  cell.best_in = pair.best_in;
  cell.changes = changes_between(base.result, pair.base, changed.result, pair.changed);
  cell.base = pair.base;
  cell.changed = pair.changed;
  return cell;
}

// A best cell that was chosen among what the other cells of its workload and mode left over.
void mark_best_of_some(std::vector<CellDiff>& cells, const Result& base) {
  const auto kin = [&](const CellDiff& one, const CellDiff& other) {
    const Cell& a = base.cells[one.base].cell;
    const Cell& b = base.cells[other.base].cell;
    return a.workload == b.workload && a.mode == b.mode;
  };
  for (CellDiff& cell : cells) {
    cell.best_of_some = cell.by == MatchedBy::kBest &&
                        std::ranges::count_if(cells, [&](const CellDiff& other) { return kin(cell, other); }) > 1;
  }
}

ResultDiff begin_diff(const Named& base, const Named& changed, const DiffOptions& options) {
  ResultDiff diff{.base = base.name,
                  .changed = changed.name,
                  .metric = options.metric,
                  .alpha = options.alpha,
                  .noteworthy = noteworthy(base.result, changed.result)};
  const std::vector<Difference> files = changed_files(base.result, changed.result);
  diff.noteworthy.insert(diff.noteworthy.end(), files.begin(), files.end());
  return diff;
}

// Compared, not judged.
ResultDiff compare_results(const Named& base, const Named& changed, const DiffOptions& options) {
  const Matching matching = match_cells(base, changed, *options.metric, options.across);
  if (matching.pairs.empty()) refuse_nothing_to_compare(base, changed, *options.metric, options.across);
  ResultDiff diff = begin_diff(base, changed, options);
  diff.unlike =
      accepted_differences(base, changed, matching.pairs, options.across, options.allow_mismatch, options.anyway);
  const Gate gate = gate_of(base, changed, matching, *options.metric, options.margin.value_or(kStandardMargin));
  for (const Match& pair : matching.pairs) {
    diff.cells.push_back(partners(base, changed, pair));
    diff.cells.back().gate = gate.cells.contains(pair.base);
  }
  mark_best_of_some(diff.cells, base.result);
  for (const std::size_t i : matching.gone) {
    const bool decides = gate.missing.contains(i) && !options.allow_missing;
    diff.gone.push_back({.name = base.result.cells[i].cell.name(), .gate = decides});
  }
  for (const std::size_t i : matching.added) diff.added.push_back({.name = changed.result.cells[i].cell.name()});
  if (!options.allow_missing) diff.lost = gate.lost;
  note_ones(diff, base.result, changed.result, matching.ones);
  compare_all(diff, options, base.result, changed.result);
  add_shares(diff, base.result, changed.result);
  return diff;
}

}  // namespace

void judge_together(std::span<ResultDiff> diffs, std::span<const Compared> compared, const DiffOptions& options) {
  adjust(diffs, true);
  for (std::size_t i = 0; i < diffs.size(); ++i) {
    ResultDiff& diff = diffs[i];
    adjust({&diff, 1}, false);
    heed_noise(diff, options, compared[i].base, compared[i].changed);
    heed_other_load(diff, compared[i].base, compared[i].changed);
    diff.verdict = verdict_of(diff);
    add_notes(diff, compared[i].base.result, compared[i].changed.result);
    heed_busy_pairs(diff);
  }
}

namespace {

void judge_alone(ResultDiff& diff, const Named& base, const Named& changed, const DiffOptions& options) {
  const Compared compared{base, changed};
  judge_together({&diff, 1}, {&compared, 1}, options);
}

}  // namespace

std::string empty_cells_text(const Result& result) {
  const auto is_empty = [](const CellResult& cell) { return cell.trials.empty() && !cell.error; };
  const auto empty = std::ranges::count_if(result.cells, is_empty);
  return empty == 0 ? ""
                    : fmt::format("{} of {} {} no trials", empty, plural(result.cells.size(), "cell"),
                                  empty == 1 ? "has" : "have");
}

ResultDiff diff_results(const Named& base, const Named& changed, const DiffOptions& options) {
  return diff_each(base, {&changed, 1}, options).front();
}

std::vector<ResultDiff> diff_each(const Named& base, std::span<const Named> changed, const DiffOptions& options) {
  std::vector<ResultDiff> diffs;
  std::vector<Compared> compared;
  for (const Named& one : changed) {
    diffs.push_back(compare_results(base, one, options));
    compared.push_back({base, one});
  }
  judge_together(diffs, compared, options);
  return diffs;
}

ResultDiff diff_cells(const Named& base, const Named& changed, std::span<const Match> pairs,
                      const DiffOptions& options) {
  ResultDiff diff = begin_diff(base, changed, options);
  for (const Match& pair : pairs) {
    diff.cells.push_back(partners(base, changed, pair));
    diff.cells.back().gate = true;
  }
  compare_all(diff, options, base.result, changed.result);
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
  diff.unlike = accepted_differences(base, changed, {}, {}, options.allow_mismatch, options.anyway);
  std::vector<Mode> modes;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!is_compared(first[i].cell, *options.metric)) continue;
    CellDiff& cell = diff.cells.emplace_back();
    cell.base = cell.changed = i;
    cell.changes = changes_between(base.result, i, changed.result, i);
    modes.push_back(first[i].cell.mode);
  }
  if (diff.cells.empty()) refuse_nothing_to_compare(base, changed, *options.metric, {});
  const std::vector<bool> gate = gate_of_pairs(modes);
  for (std::size_t i = 0; i < gate.size(); ++i) diff.cells[i].gate = gate[i];
  compare_all(diff, options, base.result, changed.result);
  judge_alone(diff, base, changed, options);
  return diff;
}

ResultDiff diff_along(const Named& file, std::string_view setting, std::string_view base_value,
                      const DiffOptions& options) {
  ResultDiff diff = begin_diff(file, file, options);
  diff.along = setting;
  for (AlongPair& pair : match_along(file, setting, base_value, *options.metric)) {
    CellDiff& cell = diff.cells.emplace_back();
    cell.base_value = std::move(pair.base_value);
    cell.changed_value = std::move(pair.changed_value);
    cell.base = pair.base;
    cell.changed = pair.changed;
    cell.changes = changes_between(file.result, pair.base, file.result, pair.changed);
    std::erase_if(cell.changes, [&](const Difference& change) { return change.what == words_of(setting); });
  }
  compare_all(diff, options, file.result, file.result);
  judge_alone(diff, file, file, options);
  return diff;
}

}  // namespace loadline
