// Options that cannot be run together.
#pragma once

#include <string>

#include "harness/plan/data_kinds.h"
#include "harness/plan/options.h"

namespace loadline {

// Each throws usage Error naming the option, and what it contradicts or lacks.
void check_options(const RunOptions& options);
// `kinds`: of all data that is run. `held`: where they are, as a sentence ends with it: "workload cifar10".
void check_heeded(const RunOptions& options, DataKinds kinds, const std::string& held);
void check_worker_counts(const RunOptions& options);  // loaders that cannot do without workers

}  // namespace loadline
