// The trials of a run, over all cells of a plan.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/measure/observer.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// Measures the first epoch of each cell that has a loader, on a dataset opened anew, then the trials: in rounds over
// all cells and ceilings, each round in its own order, until every cell has its number of trials
// (schedule.h). A ceiling goes on as long as a cell that it bounds does. With a time limit no round is begun that would
// end behind it, going by the time that trials took so far, no trial behind it, and no first epoch that would cost the
// first round. What cells and ceilings have already counts: that is left out. A cell or ceiling that fails keeps what
// it has and its error; the others go on. So does one whose dataset has changed since it was opened: what was being
// measured then does not count. Of a plan for ceilings alone only those. Returns whether the run came to its
// end, rather than to a requested stop.
bool run_plan(const Plan& plan, Result& result, RunContext& context);

// Two sides to compare: the first half of the result's cells, as prepare_run() made them, against the
// second. So many rounds of trials in the order of pair_order(), after one that is not kept, in which caches, clocks
// and what loaders learn settle. Neither first epochs nor ceilings. Returns as run_plan() does.
bool run_pairs(std::size_t pairs, Result& result, RunContext& context);

// Cells that are not of the plan but on its datasets, such as those of a prediction: `cells` have cell and dataset, and
// get the rest as if they were of the plan, in rounds of their own. No first epochs. What does not fit is the error of
// its cell; what does not fit the time limit has fewer trials, or none. Returns as run_plan() does.
bool run_further(const RunOptions& options, Result& result, std::vector<CellResult>& cells, RunContext& context);

}  // namespace loadline
