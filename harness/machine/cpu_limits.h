// The CPUs that this process may use at a moment. They may change while it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/machine/system_files.h"

namespace loadline {

// What cannot be known is nullopt.
struct CpuLimits {
  std::optional<std::string> affinity_list;  // such as "0-3,8": the affinity mask, and with it the cpuset
  std::optional<double> cgroup_cpu_limit;    // cores

  bool operator==(const CpuLimits&) const = default;
};

// The limits of a process that may run on `affinity`. Reads a few small files.
CpuLimits cpu_limits_from(const SystemFiles& files, const std::vector<std::size_t>& affinity);

// The limits of the calling thread, now. Takes some 100 µs and allocates, so it must stay outside a trial's clock.
CpuLimits cpu_limits_now();

// "CPUs 0-3 and a quota of 1.5 CPUs", "CPUs 0-3", "a quota of 0.5 CPUs", "unknown CPUs".
std::string text_of(const CpuLimits& limits);

}  // namespace loadline
