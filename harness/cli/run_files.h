// The files that `run` and `ceilings` write, opened before anything is measured.
#pragma once

#include <optional>

#include "harness/cli/result_file.h"
#include "harness/cli/run_output.h"
#include "harness/cli/trace_file.h"
#include "harness/cli/verbs.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// Whether this process prints and writes: of several ranks only the first does.
bool prints(const RunRequest& request);

// The file of `result`, as it begins; nullopt if none is written. Throws Error if it cannot be written, holds what must
// not be replaced, or is to be continued and has changed since it was read.
std::optional<ResultFile> open_result_file(const MeasuringVerb& verb, const RunRequest& request, const Plan& plan,
                                           const Result& result);

// nullopt if no trace is requested. An existing file is treated like that of a table. Throws Error if it is the
// result's.
std::optional<TraceFile> open_trace_file(const RunRequest& request, const Plan& plan,
                                         const std::optional<ResultFile>& result);

}  // namespace loadline
