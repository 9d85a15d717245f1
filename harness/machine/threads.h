// How many threads this process may keep busy: the default of --workers.
#pragma once

#include <cstddef>
#include <optional>

namespace loadline {

// The smallest of: the CPUs in the affinity mask; the control group's limit in cores, rounded up; and the CPUs given
// to the batch job, which not every scheduler enforces by the other two. At least 1.
std::size_t threads_within(std::size_t affinity_count, std::optional<double> cgroup_cpu_limit,
                           std::optional<std::size_t> job_cpus);

// threads_within() for this process. Reads a few small files.
std::size_t threads_in_force();

}  // namespace loadline
