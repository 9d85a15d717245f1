// Options that cannot be run together.
#pragma once

#include "harness/plan/options.h"

namespace loadline {

// Each throws usage Error naming the option, and what it contradicts or lacks.
void check_options(const RunOptions& options);
void check_worker_counts(const RunOptions& options);  // loaders that cannot do without workers

}  // namespace loadline
