// The first epoch of each cell that has a loader, before its trials.
#pragma once

#include "harness/measure/cache.h"
#include "harness/measure/observer.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// Opens each dataset anew. Skips first epochs that the result already has and, with a time limit, those that would
// leave no time for the first round of trials, judging by the first epochs so far. A cell that fails keeps its error.
// Throws Error if the ranks of the run have failed as a whole.
void measure_first_epochs(const Plan& plan, Result& result, PageCache& cache, RunContext& context);

}  // namespace loadline
