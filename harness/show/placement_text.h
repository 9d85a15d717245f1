// Where --placement numa put threads and slots, in words.
#pragma once

#include <string>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

// One sentence for each placement by NUMA node, in the order of the cells: "numa: step on CPUs 3,11, workers on CPUs
// 0-2,4-7 of NUMA nodes 0,1, slots on node 0". If some slots were elsewhere, it says what share was in place; if the
// system does not report that, it says so.
std::vector<std::string> placement_lines(const Result& result);

}  // namespace loadline
