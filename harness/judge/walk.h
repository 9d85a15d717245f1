// A walk: several results in the order in which something was made faster, each a step on from the last. Pure
// functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/diff.h"

namespace loadline {

// What one result says about a workload.
struct WalkStep {
  std::string cell;                 // name of the cell whose metric is followed; empty if the result has no such cell
  bool best = false;                // it is the fastest of several configurations of the result
  std::vector<Difference> changes;  // from the last step before that has a cell
  std::string setting;              // the first step's configuration: "hdf5 x 1, device, batch size 32"
  std::optional<Summary> io;        // samples per second; nullopt without trials
  std::optional<Summary> synthetic;
  std::optional<Summary> full;
  std::optional<Bottleneck> bottleneck;  // nullopt without a loader
  std::optional<CellDiff> over_before;   // absent for the first step, and where there is nothing to compare
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
  std::vector<Difference> unlike;       // allowed differences of any step from the first
  std::vector<Difference> noteworthy;   // other differences, likewise
  std::vector<std::string> notes;       // sentences
  std::vector<std::string> lost;        // sentences: steps that lack what the first result has
  Change verdict = Change::kInconclusive;
  bool lost_cells = false;  // some of `lost` are results without the cell, which DiffOptions::allow_missing accepts
};

// Follows FULL of each workload through the results; IO where the first result has no FULL, SYNTHETIC where it has
// neither, or the mode of the metric. Where a result has several configurations, the fastest is its step. Each step
// is compared with the one before and with the first, and the p values of all these comparisons are adjusted by Holm.
// The verdict is the worst of them, as in diff_results(). A result whose cells have no trials, because they failed, is
// always among `lost`; one without such cells is unless allow_missing accepts it. Borrows the judgements, one per
// result.
//
// Throws Error as diff_results() does.
Walk walk_results(std::span<const Named> results, std::span<const Judgement> judgements, const DiffOptions& options);

// Whether any workload has a step, that is, two results that are compared. Results without a step, such as those that
// share no workload, are refused by walk_results() but not by follow_results().
bool has_steps(const Walk& walk);
Walk follow_results(std::span<const Named> results, std::span<const Judgement> judgements, const DiffOptions& options);

}  // namespace loadline
