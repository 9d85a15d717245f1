#include "harness/machine/threads.h"

#include <algorithm>
#include <cmath>

#include "harness/machine/cgroup.h"
#include "harness/machine/job.h"
#include "harness/machine/system_files.h"
#include "loaders/system/affinity.h"

namespace loadline {

std::size_t threads_within(std::size_t affinity_count, std::optional<double> cgroup_cpu_limit,
                           std::optional<std::size_t> job_cpus) {
  std::size_t threads = std::min(affinity_count, job_cpus.value_or(affinity_count));
  // Compared as numbers first: a limit may be too large for an integer.
  if (cgroup_cpu_limit && std::ceil(*cgroup_cpu_limit) < static_cast<double>(threads)) {
    threads = static_cast<std::size_t>(std::ceil(*cgroup_cpu_limit));
  }
  return std::max<std::size_t>(1, threads);
}

std::size_t threads_in_force() {
  const auto job = this_job();
  return threads_within(affinity_cpus().size(), cgroup_limits(SystemFiles()).cpus, job ? job->cpus : std::nullopt);
}

}  // namespace loadline
