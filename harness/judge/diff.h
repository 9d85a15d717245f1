// Results against a base, cell by cell. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/busy_pairs.h"
#include "harness/judge/comparison.h"
#include "harness/judge/likeness.h"
#include "harness/judge/matching.h"
#include "harness/judge/metrics.h"
#include "harness/judge/noise.h"
#include "harness/judge/shares.h"
#include "harness/result/result.h"

namespace loadline {

inline constexpr double kStandardMargin = 0.03;

struct DiffOptions {
  const Metric* metric = &metrics().front();
  std::optional<double> margin;  // relative; nullopt: kStandardMargin
  double alpha = 0.05;
  std::vector<NoiseFloor> noise;            // per host of the base; applied where rates of two runs are compared
  bool allow_mismatch = false;              // compare results even if they are unlike each other
  std::string anyway = "--allow-mismatch";  // what would do so, for the sentence that refuses
  bool allow_missing = false;               // judge what is left if the other result lacks what the base guards
  std::vector<std::string> across;          // settings in which partners may differ; empty: match_cells() chooses
};

// One cell against another.
struct CellDiff {
  std::string name;  // of the base's cell
  std::string changed_name;
  std::string shared_name;  // `name` without the settings in which the two differ
  std::string workload;
  Mode mode = Mode::kFull;
  std::optional<MatchedBy> by;      // nullopt if cells were paired by place or along a setting
  std::optional<Mode> best_in;      // of Match
  bool best_of_some = false;        // with best_in: other cells of its workload and mode have partners of their own
  std::vector<Difference> changes;  // settings in which the two differ; empty if all match
  std::string base_value;           // of the setting along which cells are compared; empty where results are
  std::string changed_value;
  std::size_t base = 0;  // indices in Result::cells
  std::size_t changed = 0;
  bool gate = false;                    // it is one of the cells that decide
  double margin = 0;                    // that was applied
  std::optional<double> noise_floor;    // of two equal runs, which weakens what is found; nullopt: not known
  std::optional<Summary> base_summary;  // of the metric; nullopt without trials
  std::optional<Summary> changed_summary;
  std::optional<Comparison> comparison;  // nullopt without trials, or where the metric is 0 in one
  std::optional<double> adjusted_p;      // by Holm in the gate, by Benjamini-Hochberg outside
  Change change = Change::kInconclusive;
  std::string obstacle;          // why no more can be said: "a single trial has no interval"; usually empty
  BusyCount busy;                // of pairs
  std::optional<Shares> shares;  // of FULL, where settings differ
};

// A cell that only one of two results has.
struct Unmatched {
  std::string name;
  bool gate = false;

  bool operator==(const Unmatched&) const = default;
};

struct ResultDiff {
  std::string base;  // names
  std::string changed;
  const Metric* metric = &metrics().front();
  double alpha = 0.05;
  bool paired = false;             // by rounds
  std::string along;               // name of the setting along which cells of one result are compared; usually empty
  std::vector<CellDiff> cells;     // in the order of the base
  std::vector<Unmatched> gone;     // only in the base
  std::vector<Unmatched> added;    // only in the other; never in the gate
  std::vector<Difference> unlike;  // that were allowed
  std::vector<Difference> noteworthy;
  std::vector<std::string> notes;          // sentences
  std::vector<std::string> lost;           // sentences: what the gate needs but lacks; it then fails
  Change verdict = Change::kInconclusive;  // of the gate
};

// "6 of 57 cells have no trials", although nothing failed in them: the run ended before it came to them. Empty where
// all have.
std::string empty_cells_text(const Result& result);

// match_cells() matches the cells, and fingerprints compare the data that they read. The cells of gate_of() decide,
// so their p values are adjusted by Holm: the chance of a false alarm in any of them is at most alpha. All other
// cells only explain, so theirs are adjusted by Benjamini-Hochberg: few of the changes that it reports are false, and
// it finds more of the real ones. The verdict is the worst of the gate: regression, then inconclusive (also where the
// gate has lost a cell), then improvement, then equivalent.
//
// The noise floor of the host (noise.h), by which two equal runs differ, makes a change no larger than it
// inconclusive, and so it does an equivalence within a smaller margin.
//
// Throws Error naming every difference where the two are unlike and that is not allowed, Error where they have no
// cell to compare, and usage Error for an unknown setting in `across`.
ResultDiff diff_results(const Named& base, const Named& changed, const DiffOptions& options);

// Compares each of several results with one base, adjusting by Holm over all of their gates.
std::vector<ResultDiff> diff_each(const Named& base, std::span<const Named> changed, const DiffOptions& options);

// Compares only these pairs of cells, all of which decide. There is no verdict yet, and there are no shares. Does not
// check whether the results may be compared.
ResultDiff diff_cells(const Named& base, const Named& changed, std::span<const Match> pairs,
                      const DiffOptions& options);

// The two results of a comparison. Borrows them.
struct Compared {
  const Named& base;
  const Named& changed;
};

// Gives comparisons that are judged together their verdicts, adjusting by Holm over all of their gates. diffs[i] is
// of the results in compared[i].
void judge_together(std::span<ResultDiff> diffs, std::span<const Compared> compared, const DiffOptions& options);

// Compares two results of `loadline ab`: cells by place, trials by round. Settings may differ, since they are what is
// compared; modes may not. The gate is all cells of gate_of_pairs(). The noise floor of runs does not apply: what
// makes two runs differ is the same for both of a pair, and where each trial is its own process, it is in the spread
// of the pairs. Pairs during which other processes had the CPUs (busy_pairs.h) are set aside. If more than half are
// such pairs, all are compared, and p covers only the part that other processes cannot explain: it is of ratios moved
// towards 1 by what they took, and 1 where the moved ratio is within the margin.
ResultDiff diff_pairs(const Named& base, const Named& changed, const DiffOptions& options);

// Compares cells of one result along a setting, paired by match_along(); throws what that throws. There is no gate.
ResultDiff diff_along(const Named& file, std::string_view setting, std::string_view base_value,
                      const DiffOptions& options);

}  // namespace loadline
