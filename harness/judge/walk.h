// A walk: several results in the order in which something was made faster, each a step from the one before. Pure
// functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/diff.h"

namespace loadline {

// What one result says of a workload.
struct WalkStep {
  std::string cell;                 // name of the cell whose metric is followed; empty if the result has no such cell
  bool best = false;                // of several configurations that the result has
  std::vector<Difference> changes;  // against the step before that has a cell
  std::string setting;              // of the first step what it is: "hdf5 x 1, device, batch size 32"
  std::optional<Summary> io;        // samples per second; nullopt without trials
  std::optional<Summary> synthetic;
  std::optional<Summary> full;
  std::optional<Standpoint> standpoint;  // nullopt without a loader
  std::optional<CellDiff> over_before;   // of the first step, and where there is nothing to compare, none
  std::optional<CellDiff> over_first;
};

struct WorkloadWalk {
  std::string workload;
  Mode mode = Mode::kFull;      // whose metric is followed
  std::vector<WalkStep> steps;  // one for each result
};

struct Walk {
  std::vector<std::string> results;  // names
  const Metric* metric = &metrics().front();
  double alpha = 0.05;
  std::vector<WorkloadWalk> workloads;  // those of the first result, in its order
  std::vector<Difference> unlike;       // that were allowed, of any step against the first
  std::vector<Difference> noteworthy;   // the same of other differences
  std::vector<std::string> notes;       // sentences
  std::vector<std::string> lost;        // sentences: steps that lack what the first result has
  Change verdict = Change::kInconclusive;
};

// Follows, of each workload, FULL through the results; IO where the first has no FULL, SYNTHETIC where it has neither,
// or the mode of the metric. Where a result has several configurations, the fastest of them is its step. Each step is
// held against the one before and against the first, and the p values of all these comparisons are adjusted by Holm.
// The verdict is the worst of them, as in diff_results(). Borrows the judgements, one for each result.
//
// Throws Error as diff_results() does.
Walk walk_results(std::span<const Named> results, std::span<const Judgement> judgements, const DiffOptions& options);

// Whether any workload has a step: two results that are compared. A walk without one can still be made of results that
// share no workload, by follow_results(), which does not refuse them.
bool has_steps(const Walk& walk);
Walk follow_results(std::span<const Named> results, std::span<const Judgement> judgements, const DiffOptions& options);

}  // namespace loadline
