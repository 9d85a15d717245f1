// The first epoch of each cell that has a loader, before its trials.
#pragma once

#include "harness/measure/cache.h"
#include "harness/measure/observer.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// On a dataset opened anew. Those that the result has are left out, and with a time limit those that would cost the
// first round of trials. A cell that fails has its error. Throws Error where the ranks of the run have failed as a
// whole.
void measure_first_epochs(const Plan& plan, Result& result, PageCache& cache, RunContext& context);

}  // namespace loadline
