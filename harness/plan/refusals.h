// Options that cannot be combined.
#pragma once

#include <string>

#include "harness/plan/data_kinds.h"
#include "harness/plan/options.h"

namespace loadline {

// Each throws usage Error naming the option and what it contradicts or lacks.
void check_options(const RunOptions& options);
// `kinds`: of all data in the run. `held`: what holds them, for the end of a sentence: "workload cifar10".
void check_heeded(const RunOptions& options, DataKinds kinds, const std::string& held);
void check_worker_counts(const RunOptions& options);  // for loaders that need workers

}  // namespace loadline
