// The command line that measures one cell again.
#pragma once

#include <string>
#include <string_view>

#include "harness/plan/data_kinds.h"
#include "harness/plan/options.h"
#include "harness/plan/plan.h"

namespace loadline {

// "--workload cifar10 --loader thread-pool --workers 6 --batch-size 512": the options of a run with the settings of
// this one of its cells in place of all lists. Options at their standard value are left out, and so are those about
// which cells are run, how many trials they have and where the result goes. Quoted for a shell where that is needed.
// `data`: what the cell's dataset holds; options that do not apply to it are left out too.
std::string command_options(const RunOptions& options, const Cell& cell, DataKinds data);

// `text` as one word of a POSIX shell's command line. On one line, whatever is in it: control characters as in
// $'a\012b'.
std::string shell_quoted(std::string_view text);

}  // namespace loadline
