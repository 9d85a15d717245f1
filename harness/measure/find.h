// The run of --find.
#pragma once

#include "harness/measure/observer.h"
#include "harness/plan/options.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// The best of several configurations as best.h says; all else of options.find by values, each of which has a few
// interleaved trials of SYNTHETIC and FULL. Runs the plan at what was found in full, which confirms it; where that
// misses the utilisation, again at a lower value (or with more workers), a few times. Where no value is enough it is
// run at the least demanding one. `result` is one that prepare_run() has prepared for these options; it gets the search
// and what run_plan() gives it. Throws Error where a trial fails. Returns as run_plan() does.
bool find_and_run(const RunOptions& options, const PlanContext& plan_context, Result& result, RunContext& context);

}  // namespace loadline
