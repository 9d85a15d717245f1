#include "harness/machine/cgroup.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/machine/kernel_text.h"
#include "harness/machine/mounts.h"

namespace loadline {
namespace {

// Version 1 writes "no limit" as 2^63 - 1 rounded down to a page, and pages are at most 64 KiB.
constexpr std::uint64_t kNoLimit = (std::uint64_t{1} << 63) - 65'536;

// One line of /proc/self/cgroup: "4:cpu,cpuacct:/user/job" or, in version 2, "0::/user/job".
struct Membership {
  std::string_view controllers;
  std::filesystem::path group;
};

std::vector<Membership> parse_memberships(std::string_view text) {
  std::vector<Membership> memberships;
  for (const std::string_view line : lines_of(text)) {
    const auto first = line.find(':');
    const auto second = line.find(':', std::min(first, line.size() - 1) + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    memberships.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return memberships;
}

// Whether `mount` shows the hierarchy of `membership`: a version 1 mount names its controllers among its options.
bool shows(const Mount& mount, const Membership& membership) {
  if (mount.file_system == "cgroup2") return membership.controllers.empty();
  if (mount.file_system != "cgroup" || membership.controllers.empty()) return false;
  const auto options = split(mount.super_options, ',');
  const auto controllers = split(membership.controllers, ',');
  return std::all_of(controllers.begin(), controllers.end(), [&](std::string_view controller) {
    return std::find(options.begin(), options.end(), controller) != options.end();
  });
}

// The group's own directory. A group outside what is mounted (a container's view of its host) is read at the mount
// point, which is then the container's own group or one above it.
std::filesystem::path directory_of(const Mount& mount, const std::filesystem::path& group) {
  const auto inside = path_within(mount.root, group);
  if (!inside || inside->empty() || std::find(inside->begin(), inside->end(), "..") != inside->end()) {
    return mount.mount_point;
  }
  return mount.mount_point / *inside;
}

template <typename Limit>
void tighten(std::optional<Limit>& limit, std::optional<Limit> other) {
  if (other) limit = limit ? std::min(*limit, *other) : *other;
}

// `prefix`: of the statistics that include the groups below.
void tighten_memory(CgroupLimits& limits, std::string_view limit, std::string_view used, std::string_view statistics,
                    std::string_view prefix) {
  const auto bytes = parse_memory_limit(limit);
  if (!bytes) return;
  tighten(limits.memory_bytes, bytes);
  std::uint64_t files = 0;
  for (const std::string_view name : {"active_file", "inactive_file"}) {
    files += parse_whole(value_of(statistics, std::string(prefix).append(name), ' ').value_or("")).value_or(0);
  }
  const std::uint64_t taken = parse_whole(used).value_or(0);
  const std::uint64_t kept = taken - std::min(taken, files);
  tighten(limits.memory_left_bytes, std::optional(*bytes - std::min(*bytes, kept)));
}

// A hierarchy has only the files of its own version and controllers; missing files say nothing.
void tighten_by(CgroupLimits& limits, const SystemFiles& files, const std::filesystem::path& directory) {
  const auto read = [&](const char* name) { return files.line(directory / name).value_or(""); };
  tighten(limits.cpus, parse_cpu_max(read("cpu.max")));
  tighten(limits.cpus, parse_cfs_limit(read("cpu.cfs_quota_us"), read("cpu.cfs_period_us")));
  const auto text = [&](const char* name) { return files.text(directory / name).value_or(""); };
  tighten_memory(limits, read("memory.max"), read("memory.current"), text("memory.stat"), "");
  tighten_memory(limits, read("memory.limit_in_bytes"), read("memory.usage_in_bytes"), text("memory.stat"), "total_");
}

// Visits the directory of the process's own group and of each above it, in every hierarchy that is mounted.
template <typename Visit>
void for_each_group(const SystemFiles& files, Visit visit) {
  const std::string cgroup = files.text("/proc/self/cgroup").value_or("");
  const auto memberships = parse_memberships(cgroup);
  for (const Mount& mount : parse_mountinfo(files.text("/proc/self/mountinfo").value_or(""))) {
    for (const Membership& membership : memberships) {
      if (!shows(mount, membership)) continue;
      auto directory = directory_of(mount, membership.group);
      for (; directory != mount.mount_point; directory = directory.parent_path()) visit(directory);
      visit(mount.mount_point);
    }
  }
}

}  // namespace

CgroupLimits cgroup_limits(const SystemFiles& files) {
  CgroupLimits limits;
  // A kernel without groups has /proc without their file.
  limits.memory_seen = !files.exists("/proc/self/cgroup") && files.exists("/proc/self/mountinfo");
  for_each_group(files, [&](const std::filesystem::path& directory) {
    tighten_by(limits, files, directory);
    // In version 2 the root group has no limit of its own; in version 1 a group without this file has no memory
    // controller.
    for (const char* name : {"cgroup.controllers", "memory.limit_in_bytes"}) {
      limits.memory_seen = limits.memory_seen || files.exists(directory / name);
    }
  });
  return limits;
}

std::vector<std::filesystem::path> cgroup_directories(const SystemFiles& files) {
  std::vector<std::filesystem::path> found;
  for_each_group(files, [&](const std::filesystem::path& directory) { found.push_back(directory); });
  return found;
}

std::vector<std::filesystem::path> cgroup_cpu_statistics(const SystemFiles& files) {
  std::vector<std::filesystem::path> found;
  for_each_group(files, [&](const std::filesystem::path& directory) {
    if (files.exists(directory / "cpu.stat")) found.push_back(directory / "cpu.stat");
  });
  return found;
}

std::optional<double> parse_cpu_max(std::string_view text) {
  const auto words = split(trimmed(text), ' ');
  return words.size() == 2 ? parse_cfs_limit(words[0], words[1]) : std::nullopt;
}

std::optional<double> parse_cfs_limit(std::string_view quota, std::string_view period) {
  const auto quota_us = parse_whole(quota);
  const auto period_us = parse_whole(period);
  if (!quota_us || !period_us || *quota_us == 0 || *period_us == 0) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

std::optional<std::uint64_t> parse_memory_limit(std::string_view text) {
  const auto bytes = parse_whole(text);
  return bytes && *bytes < kNoLimit ? bytes : std::nullopt;
}

}  // namespace loadline
