// JSON of the options of a run.
#pragma once

#include "harness/file/json/record.h"
#include "harness/plan/options.h"

namespace loadline {

// Every option, the unset ones as null.
void fields(RecordWriter& json, const RunOptions& options);
// Sets the options that the object has; null leaves an option alone. Throws Error naming the option, and for an
// unknown one the nearest name.
void fields(RecordReader& json, RunOptions& options);

}  // namespace loadline
