// The NUMA nodes of this machine, as the system describes them in /sys/devices/system/node.
#pragma once

#include <vector>

#include "harness/machine/system_files.h"
#include "harness/plan/numa.h"

namespace loadline {

// Those that are online, ascending; empty where the system tells none. Each CPU is a core of its own where the system
// does not tell which share one. What a cpuset forbids this process has no memory for it.
std::vector<NumaNode> numa_nodes_from(const SystemFiles& files);

// Of this machine, now.
std::vector<NumaNode> numa_nodes_now();

}  // namespace loadline
