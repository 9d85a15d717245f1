// Results against a base, cell by cell. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/comparison.h"
#include "harness/judge/likeness.h"
#include "harness/judge/matching.h"
#include "harness/judge/metrics.h"
#include "harness/judge/noise.h"
#include "harness/result/result.h"

namespace loadline {

inline constexpr double kStandardMargin = 0.03;

struct DiffOptions {
  const Metric* metric = &metrics().front();
  std::optional<double> margin;  // relative; none: kStandardMargin
  double alpha = 0.05;
  std::vector<NoiseFloor> noise;  // of each host of the base; heeded where rates of two runs are compared
  bool allow_mismatch = false;    // compare results all the same that are unlike each other
};

// One cell against another.
struct CellDiff {
  std::string name;        // of the base's cell
  std::string base_value;  // of the setting along which cells are compared; empty where results are
  std::string changed_value;
  std::size_t base = 0;  // indices in Result::cells
  std::size_t changed = 0;
  bool gate = false;                    // one of those that decide
  double margin = 0;                    // that was held to
  std::optional<double> noise_floor;    // of two runs of the same, which weakens what is found; none: not known
  std::optional<Summary> base_summary;  // of the metric; none without trials
  std::optional<Summary> changed_summary;
  std::optional<Comparison> comparison;  // none without trials, or where the metric is 0 in one
  std::optional<double> adjusted_p;      // by Holm in the gate, by Benjamini-Hochberg outside of it
  Change change = Change::kInconclusive;
  std::string obstacle;  // why no more can be said: "a single trial has no interval"; mostly empty
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
  Change verdict = Change::kInconclusive;  // of the gate
};

// Cells are matched by match_cells(), and the data that they read is compared by fingerprint.
//
// The gate is one cell of each workload: of FULL, or of IO where they have no FULL in common, or else of SYNTHETIC, the
// fastest of the two results together. The fastest of the base alone would often be one that had luck there, and so
// slower when it is run again, whatever was changed. Where the other result has nothing of a workload, the fastest of
// the base. It decides, so its p values are adjusted by Holm: a false alarm in any of them has a chance of
// alpha. All others are there to explain, and by Benjamini-Hochberg: few of many that are called are false, and more
// of those that are real are found. The verdict is the worst of the gate: regression, then inconclusive (also where the
// cell is gone), then improvement, then equivalent.
//
// What two runs of the same differ by on the host (noise.h) makes a change that is no larger inconclusive, and an
// equivalence within less.
//
// Throws Error, where the two are unlike and that is not allowed naming every difference; and where they have no cell
// in common.
ResultDiff diff_results(const Named& base, const Named& changed, const DiffOptions& options);

// Two results of `loadline ab`: cells matched by place, trials by round. Settings may differ, they are what is
// compared; modes may not. The gate are all cells of FULL, or of IO where there is no FULL. The noise floor of runs
// says nothing of them: what sets two runs apart is the same for both of a pair, and where each trial is a process of
// its own, it is in the spread of the pairs.
ResultDiff diff_pairs(const Named& base, const Named& changed, const DiffOptions& options);

// Cells of one result along a setting, as match_along() pairs them, and throws what that throws. There is no gate.
ResultDiff diff_along(const Named& file, std::string_view setting, std::string_view base_value,
                      const DiffOptions& options);

}  // namespace loadline
