#include "harness/result/threads.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "harness/result/cgroup.h"
#include "harness/result/system_files.h"

namespace loadline {

std::vector<std::size_t> affinity_cpus() {
  // The kernel refuses a mask smaller than its own with EINVAL and does not tell the size it wants.
  for (std::size_t sets = 1; sets <= 64; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    const std::size_t mask_bytes = sets * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, mask_bytes, mask.data()) == 0) {
      std::vector<std::size_t> cpus;
      for (std::size_t cpu = 0; cpu < mask_bytes * 8; ++cpu) {
        if (CPU_ISSET_S(cpu, mask_bytes, mask.data())) cpus.push_back(cpu);
      }
      return cpus;
    }
    if (errno != EINVAL) break;
  }
  return {};
}

std::size_t threads_within(std::size_t affinity_count, std::optional<double> cgroup_cpu_limit) {
  std::size_t threads = affinity_count;
  // Compared as numbers first: a limit may be too large for an integer.
  if (cgroup_cpu_limit && std::ceil(*cgroup_cpu_limit) < static_cast<double>(threads)) {
    threads = static_cast<std::size_t>(std::ceil(*cgroup_cpu_limit));
  }
  return std::max<std::size_t>(1, threads);
}

std::size_t threads_in_force() {
  return threads_within(affinity_cpus().size(), cgroup_limits(SystemFiles()).cpus);
}

}  // namespace loadline
