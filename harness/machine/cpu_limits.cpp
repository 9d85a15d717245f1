#include "harness/machine/cpu_limits.h"

#include <fmt/format.h>

#include "harness/machine/cgroup.h"
#include "harness/machine/kernel_text.h"
#include "loaders/system/affinity.h"

namespace loadline {

CpuLimits cpu_limits_from(const SystemFiles& files, const std::vector<std::size_t>& affinity) {
  CpuLimits limits{.affinity_list = {}, .cgroup_cpu_limit = cgroup_limits(files).cpus};
  if (!affinity.empty()) limits.affinity_list = format_cpu_list(affinity);
  return limits;
}

CpuLimits cpu_limits_now() {
  return cpu_limits_from(SystemFiles(), affinity_cpus());
}

std::string text_of(const CpuLimits& limits) {
  const std::string cpus = limits.affinity_list ? fmt::format("CPUs {}", *limits.affinity_list) : "";
  const std::string quota =
      limits.cgroup_cpu_limit ? fmt::format("a quota of {:.4g} CPUs", *limits.cgroup_cpu_limit) : "";
  if (cpus.empty() && quota.empty()) return "unknown CPUs";
  return cpus + (cpus.empty() || quota.empty() ? "" : " and ") + quota;
}

}  // namespace loadline
