// The run of --find.
#pragma once

#include "harness/measure/observer.h"
#include "harness/plan/options.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// The best of several configurations as best.h says; all else of options.find by values, in the order that next_try()
// of search.h says: each has a few interleaved trials of SYNTHETIC and FULL, and then the plan is run in full, at most
// twice, to confirm what was found. `result` is one that prepare_run() has prepared for these options; it gets the
// search and what run_plan() gives it. Throws Error where a trial fails. Returns as run_plan() does.
bool find_and_run(const RunOptions& options, const PlanContext& plan_context, Result& result, RunContext& context);

}  // namespace loadline
