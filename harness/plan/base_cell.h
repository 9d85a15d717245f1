// The settings that all cells of one combination of options share.
#pragma once

#include <cstddef>

#include "harness/plan/plan.h"

namespace loadline {

// The shared part of those cells: everything but mode, loader and workers. Throws usage Error for options that
// contradict each other.
Cell base_cell(const RunOptions& options, const Workload& workload, std::size_t batch_size, const PlanContext& context);

}  // namespace loadline
