// The trials of a run, over all cells of a plan.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/measure/observer.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// Measures the first epoch of each cell that has a loader, on a dataset opened anew. Then runs the trials in rounds
// over all cells and ceilings, each round in its own order, until every cell has its number of trials (schedule.h). A
// ceiling continues as long as a cell that it bounds does. With a time limit, starts no round that would end after
// it, judging by the trials so far, no trial after it, and no first epoch that would leave no time for the first
// round, in which all cells come before the ceilings. Trials that cells and ceilings already have are not repeated. A
// cell or ceiling that fails keeps its trials and its error, and the others continue. The same happens if its dataset
// has changed since it was opened; the trial in progress then does not count. A plan for ceilings alone measures only
// those. Returns true when finished and false when stopped.
bool run_plan(const Plan& plan, Result& result, RunContext& context);

// Compares two sides: the first half of the result's cells, as prepare_run() made them, with the second half. Runs
// `pairs` rounds of trials in the order of pair_order(), after a discarded one that lets caches, clocks and adaptive
// loaders settle. Measures neither first epochs nor ceilings. Returns as run_plan() does.
bool run_pairs(std::size_t pairs, Result& result, RunContext& context);

// Measures further cells on the datasets of the plan, such as those of a prediction. `cells` hold cell and dataset;
// the call fills in the rest, in rounds of their own and without first epochs. A cell that does not fit its dataset
// or the memory gets an error. A cell for which the time limit is too short has fewer trials, or none. Returns as
// run_plan() does.
bool run_further(const RunOptions& options, Result& result, std::vector<CellResult>& cells, RunContext& context);

}  // namespace loadline
