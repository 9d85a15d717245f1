// Where --placement numa had threads and slots, in words.
#pragma once

#include <string>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

// One for each placement by NUMA node, in the order of the cells:
// "numa: step on CPUs 3,11, workers on CPUs 0-2,4-7 of NUMA nodes 0,1, slots on node 0". Where slots were elsewhere too
// it says what share was there, and where the system does not tell, that.
std::vector<std::string> placement_lines(const Result& result);

}  // namespace loadline
