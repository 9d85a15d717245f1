// All that a monitor can look at on a Linux system.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/mounts.h"
#include "harness/machine/system_files.h"
#include "harness/monitor/source.h"

namespace loadline {

// What a run is about, where a system has more to tell than that.
struct MonitorTargets {
  std::vector<std::size_t> cpus;  // that the process may use; empty: all that there are
  // Files or directories of the data, as they are on the system: absolute, without links.
  struct Place {
    std::filesystem::path path;
    DeviceNumber device;
  };
  std::vector<Place> data;
};

// Of a run on these datasets; what does not exist is left out.
MonitorTargets targets_of(std::vector<std::size_t> cpus, const std::vector<std::filesystem::path>& data);

// Each opens what there is; nothing where there is nothing.
std::vector<MonitorSource> cpu_sources(const SystemFiles& files, const MonitorTargets& targets);
std::vector<MonitorSource> memory_sources(const SystemFiles& files);
std::vector<MonitorSource> pressure_sources(const SystemFiles& files);
std::vector<MonitorSource> cgroup_sources(const SystemFiles& files);
// The devices of the data, and what its network file systems count of themselves.
std::vector<MonitorSource> storage_sources(const SystemFiles& files, const MonitorTargets& targets);
std::vector<MonitorSource> lustre_sources(const SystemFiles& files);
// Ethernet and InfiniBand.
std::vector<MonitorSource> network_sources(const SystemFiles& files);

// All of these.
std::vector<MonitorSource> kernel_sources(const SystemFiles& files, const MonitorTargets& targets);

// The whole numbers among the words of a line of the kernel's, kNotKnown for the others. Returns how many words there
// are. Allocates nothing.
std::size_t numbers_of(std::string_view line, std::span<double> words);

// Visits the lines of a text: visit(line). Allocates nothing.
template <typename Visit>
void each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

}  // namespace loadline
