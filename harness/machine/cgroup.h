// The limits that a container, batch job or service manager puts on this process through control groups.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/machine/system_files.h"

namespace loadline {

struct CgroupLimits {
  std::optional<double> cpus;  // cores' worth of time; nullopt when there is no limit or none is visible
  std::optional<std::uint64_t> memory_bytes;
  // What the tightest memory limit leaves at this moment. Cached file pages count as free: the kernel drops them when
  // memory is short.
  std::optional<std::uint64_t> memory_left_bytes;
  // Whether a memory limit would be visible: there are no groups, or the files of this process's own group exist.
  bool memory_seen = false;
};

// The tightest limit from the process's own group up to the root, over versions 1 and 2 of the interface.
CgroupLimits cgroup_limits(const SystemFiles& files);

// The directories of the process's own group and of each group above it, in every mounted hierarchy, as paths in
// `files`.
std::vector<std::filesystem::path> cgroup_directories(const SystemFiles& files);

// The cpu.stat of each of these groups that has one, as paths in `files`.
std::vector<std::filesystem::path> cgroup_cpu_statistics(const SystemFiles& files);

// The cores that the text of cpu.max ("150000 100000", "max 100000") allows.
std::optional<double> parse_cpu_max(std::string_view text);
// The same from version 1's cpu.cfs_quota_us ("-1" is no limit) and cpu.cfs_period_us.
std::optional<double> parse_cfs_limit(std::string_view quota, std::string_view period);
// memory.max ("max" is no limit) or memory.limit_in_bytes (where a number near 2^63 is none).
std::optional<std::uint64_t> parse_memory_limit(std::string_view text);

}  // namespace loadline
