// The trials of a run, over all cells of a plan.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
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

struct TrialTrace;

// What to trace, and who receives it.
struct TraceOptions {
  std::size_t trials = 1;                                         // of each cell
  std::function<void(const CellResult&)> begins = {};             // before each trial
  std::function<void(TrialTrace&, const CellResult&)> take = {};  // after it; may move it away
};

struct TraceOutcome {
  bool done = true;                   // rather than stopped
  std::size_t cells = 0;              // that were to be traced
  std::size_t without_time = 0;       // of these: the time limit left none for them
  std::vector<std::string> failures;  // sentences, each naming the cell
};

// More trials of each cell of a result whose trials are over, but of OVERHEAD and of those that failed: they enter no
// figure. With a time limit no cell is begun whose trials would end behind it. Throws what options.take throws.
TraceOutcome run_traced(const TraceOptions& options, Result& result, RunContext& context);

}  // namespace loadline
