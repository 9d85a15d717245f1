// JSON of the options of a run.
#pragma once

#include "harness/file/json/record.h"
#include "harness/plan/options.h"

namespace loadline {

// The form of an option's value (form_of()): what its row says of type, words and least number, and for the tables of
// results/README.md "help" and, of numbers, "unit", its placeholder. "axis": it may also be a list of such values.
Json option_form(const OptionRow& row);

// Every option, the unset ones as null.
void fields(RecordWriter& json, const RunOptions& options);
// Sets the options that the object has; null leaves an option alone. Throws Error naming the option, and for an
// unknown one the nearest name.
void fields(RecordReader& json, RunOptions& options);

}  // namespace loadline
