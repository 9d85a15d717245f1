// The run of --find.
#pragma once

#include "harness/measure/observer.h"
#include "harness/plan/options.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// Searches as options.find says. `best` works as in best.h. All others try values in the order of next_try()
// (search.h): each value has a few interleaved trials of SYNTHETIC and FULL, and then the plan is run in full, at
// most twice, to confirm what was found. prepare_run() must have prepared `result` for these options; it gets the
// search and what run_plan() gives it. Throws Error if a trial fails. Returns as run_plan() does.
bool find_and_run(const RunOptions& options, const PlanContext& plan_context, Result& result, RunContext& context);

}  // namespace loadline
