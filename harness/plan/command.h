// The command line that measures one cell again.
#pragma once

#include <string>
#include <string_view>

#include "harness/plan/data_kinds.h"
#include "harness/plan/options.h"
#include "harness/plan/plan.h"

namespace loadline {

// "--workload cifar10 --loader thread-pool --workers 6 --batch-size 512": the options of a run, with this cell's
// settings in place of all lists. Leaves out options at their default, those that choose cells, number of trials and
// output, and those that do not apply to `data`, the kind of data that the cell's dataset holds. Quoted for a shell
// where needed.
std::string command_options(const RunOptions& options, const Cell& cell, DataKinds data);

// `text` as one word of a POSIX shell's command line. Always on one line: control characters become $'a\012b'.
std::string shell_quoted(std::string_view text);

// Whether a loader or compute is a Python function: "train.py:make_loader" or "package.module:make_loader", and not
// "replay:job.json" or "device:depth=1".
bool names_python(std::string_view name);

// The tool as a command for this cell: "loadline", or "python3 -m loadline" if its loader or compute is a Python
// function.
std::string_view program_of(const Cell& cell);

// The whole command line that runs the cell alone: "loadline run --workload ...". `takes_workers`: whether its loader
// is known to take a number of workers, so that 0 of them has to be asked for.
std::string run_command(const RunOptions& options, const Cell& cell, DataKinds data, bool takes_workers);

}  // namespace loadline
