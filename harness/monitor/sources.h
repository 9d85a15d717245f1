// Everything that a monitor can sample on a Linux system.
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

// The parts of the system that a run uses, if the system reports more.
struct MonitorTargets {
  std::vector<std::size_t> cpus;  // that the process may use; empty: all
  // Files or directories of the data: absolute, without links.
  struct Place {
    std::filesystem::path path;
    DeviceNumber device;
  };
  std::vector<Place> data;
};

// The targets of a run on these datasets. Leaves out paths that do not exist.
MonitorTargets targets_of(std::vector<std::size_t> cpus, const std::vector<std::filesystem::path>& data);

// Each opens the sources that exist; empty if there are none.
std::vector<MonitorSource> cpu_sources(const SystemFiles& files, const MonitorTargets& targets);
std::vector<MonitorSource> memory_sources(const SystemFiles& files);
std::vector<MonitorSource> pressure_sources(const SystemFiles& files);
std::vector<MonitorSource> cgroup_sources(const SystemFiles& files);
// The devices that hold the data, and the counters of its network file systems.
std::vector<MonitorSource> storage_sources(const SystemFiles& files, const MonitorTargets& targets);
std::vector<MonitorSource> lustre_sources(const SystemFiles& files);
// Ethernet and InfiniBand.
std::vector<MonitorSource> network_sources(const SystemFiles& files);

// All of these.
std::vector<MonitorSource> kernel_sources(const SystemFiles& files, const MonitorTargets& targets);

// Parses the words of one line of a kernel file: whole numbers, and kNotKnown for other words. Returns the number of
// words. Does not allocate.
std::size_t numbers_of(std::string_view line, std::span<double> words);

// Calls visit(line) for each line of a text. Does not allocate.
template <typename Visit>
void each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

}  // namespace loadline
