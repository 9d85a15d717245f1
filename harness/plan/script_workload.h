// The workload of programs that bring their own loader and name no dataset.
#pragma once

#include <string_view>

#include "harness/plan/workloads.h"

namespace loadline {

// Not in the table: it has no data of its own, only what external loaders deliver.
inline constexpr std::string_view kScriptWorkload = "python";

// A row of the table, or kScriptWorkload's. Throws usage Error naming the known workloads.
const Workload& workload_named(std::string_view name);

}  // namespace loadline
