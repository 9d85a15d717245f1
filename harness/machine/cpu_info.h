// What /proc/cpuinfo says about the processor, on x86, ARM and POWER.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loadline {

struct CpuInfo {
  std::optional<std::string> model;
  std::optional<bool> virtualised;  // by a hypervisor; nullopt if cpuinfo has no such flag, as on ARM
};

CpuInfo parse_cpu_info(std::string_view text);

}  // namespace loadline
