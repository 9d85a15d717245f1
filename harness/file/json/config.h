// How the options of a run stand in JSON.
#pragma once

#include "harness/file/json/record.h"
#include "harness/plan/options.h"

namespace loadline {

// Every option, the unset ones as null.
void fields(RecordWriter& json, const RunOptions& options);
// Sets those that the object has; null leaves one alone. Throws Error naming the option, and the nearest of one that
// is unknown.
void fields(RecordReader& json, RunOptions& options);

}  // namespace loadline
