// The NUMA nodes of this machine, as the system describes them in /sys/devices/system/node.
#pragma once

#include <vector>

#include "harness/machine/system_files.h"
#include "harness/plan/numa.h"

namespace loadline {

// The nodes that are online, ascending; empty if the system lists none. If the system does not say which CPUs share a
// core, each CPU counts as a core. A node whose memory a cpuset denies to this process counts as one without memory.
std::vector<NumaNode> numa_nodes_from(const SystemFiles& files);

// The nodes of this machine, now.
std::vector<NumaNode> numa_nodes_now();

}  // namespace loadline
