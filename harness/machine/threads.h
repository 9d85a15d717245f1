// How many threads this process may keep busy: the default of --workers.
#pragma once

#include <cstddef>
#include <optional>

namespace loadline {

// The least of the CPUs in the affinity mask, the control group's limit in cores, rounded up, and the CPUs that a batch
// job was given, which not every scheduler enforces by the other two; at least 1.
std::size_t threads_within(std::size_t affinity_count, std::optional<double> cgroup_cpu_limit,
                           std::optional<std::size_t> job_cpus);

// threads_within() of this process. Reads a few small files.
std::size_t threads_in_force();

}  // namespace loadline
