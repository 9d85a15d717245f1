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
  std::vector<NoiseFloor> noise;    // per host of the base; applied where rates of two runs are compared
  bool allow_mismatch = false;      // compare results all the same that are unlike each other
  bool allow_missing = false;       // judge what is left, where the other result lacks what the base guards
  std::vector<std::string> across;  // settings in which partners may differ; empty: as match_cells() finds them
};

// One cell against another.
struct CellDiff {
  std::string name;  // of the base's cell
  std::string changed_name;
  std::string workload;
  Mode mode = Mode::kFull;
  std::optional<MatchedBy> by;      // nullopt if cells were paired by place or along a setting
  std::vector<Difference> changes;  // settings in which the two differ; empty if all match
  std::string base_value;           // of the setting along which cells are compared; empty where results are
  std::string changed_value;
  std::size_t base = 0;  // indices in Result::cells
  std::size_t changed = 0;
  bool gate = false;                    // one of those that decide
  double margin = 0;                    // that was held to
  std::optional<double> noise_floor;    // of two runs of the same, which weakens what is found; nullopt: not known
  std::optional<Summary> base_summary;  // of the metric; nullopt without trials
  std::optional<Summary> changed_summary;
  std::optional<Comparison> comparison;  // nullopt without trials, or where the metric is 0 in one
  std::optional<double> adjusted_p;      // by Holm in the gate, by Benjamini-Hochberg outside
  Change change = Change::kInconclusive;
  std::string obstacle;          // why no more can be said: "a single trial has no interval"; mostly empty
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
  std::string along;               // name of the setting along which cells of one result are compared; mostly empty
  std::vector<CellDiff> cells;     // in the order of the base
  std::vector<Unmatched> gone;     // only in the base
  std::vector<Unmatched> added;    // only in the other; never of the gate
  std::vector<Difference> unlike;  // that were allowed
  std::vector<Difference> noteworthy;
  std::vector<std::string> notes;          // sentences
  std::vector<std::string> lost;           // sentences: what the gate should decide by and cannot; it then fails
  Change verdict = Change::kInconclusive;  // of the gate
};

// Cells are matched by match_cells(), and the data that they read is compared by fingerprint. Those of gate_of()
// decide, so their p values are adjusted by Holm: a false alarm in any of them has a chance of alpha. All others are
// there to explain, and by Benjamini-Hochberg: few of many that are called are false, and more of those that are real
// are found. The verdict is the worst of the gate: regression, then inconclusive (also where the gate has lost a cell),
// then improvement, then equivalent.
//
// What two runs of the same differ by on the host (noise.h) makes a change that is no larger inconclusive, and an
// equivalence within less.
//
// Throws Error, where the two are unlike and that is not allowed naming every difference; and where they have no cell
// to compare; and usage Error for an unknown setting in `across`.
ResultDiff diff_results(const Named& base, const Named& changed, const DiffOptions& options);

// Each of several results against one base, by Holm over the gates of all of them.
std::vector<ResultDiff> diff_each(const Named& base, std::span<const Named> changed, const DiffOptions& options);

// The cells of these indices alone, which decide, without a verdict so far and without shares. Does not look at how
// alike the results are.
ResultDiff diff_cells(const Named& base, const Named& changed, std::span<const Match> pairs,
                      const DiffOptions& options);

// The two results of a comparison. Borrows them.
struct Compared {
  const Named& base;
  const Named& changed;
};

// Gives comparisons that are judged together, each of the results at the same place of `compared`, their verdicts: by
// Holm over the gates of all of them.
void judge_together(std::span<ResultDiff> diffs, std::span<const Compared> compared, const DiffOptions& options);

// Two results of `loadline ab`: cells matched by place, trials by round. Settings may differ, they are what is
// compared; modes may not. The gate are all cells of gate_of_pairs(). The noise floor of runs says nothing of them:
// what sets two runs apart is the same for both of a pair, and where each trial is a process of its own, it is in the
// spread of the pairs. Pairs beside which others had the CPUs (busy_pairs.h) are set aside. Where more than half are
// such, all are compared, and p is of what others cannot explain: of ratios that are as much nearer to 1, and 1 where
// these come to no more than the margin.
ResultDiff diff_pairs(const Named& base, const Named& changed, const DiffOptions& options);

// Cells of one result along a setting, as match_along() pairs them, and throws what that throws. There is no gate.
ResultDiff diff_along(const Named& file, std::string_view setting, std::string_view base_value,
                      const DiffOptions& options);

}  // namespace loadline
