// Measuring what a request asks for, from its plan to its result on screen and in its file.
#pragma once

#include "harness/cli/run_output.h"
#include "harness/cli/verbs.h"

namespace loadline {

// Measures, or shows the plan if the request is a dry run. Returns the exit code. Throws Error for what fails; what was
// measured before is then in the result's file.
int measure(const MeasuringVerb& verb, const RunRequest& request);

}  // namespace loadline
