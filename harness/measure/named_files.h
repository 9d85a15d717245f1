// The files that loaders and computes name on the command line, beside the data: what they hold is part of what is
// measured.
#pragma once

#include "harness/result/result.h"

namespace loadline {

// Adds the files that the cells' loaders and computes name to result.named_files, each loader and compute once:
// recordings, plug-ins, and programs in Python without the modules that they import. Leaves out files that cannot be
// read.
void note_named_files(Result& result);

}  // namespace loadline
