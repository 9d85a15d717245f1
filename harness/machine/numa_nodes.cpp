#include "harness/machine/numa_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "harness/machine/kernel_text.h"

namespace loadline {
namespace {

using Numbers = std::vector<std::size_t>;

std::optional<Numbers> numbers_in(const std::optional<std::string>& text) {
  return text ? parse_cpu_list(*text) : std::nullopt;
}

bool holds(const Numbers& numbers, std::size_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

// The nodes that have memory; kernels before 3.8 do not list them.
Numbers with_memory(const SystemFiles& files, const Numbers& online) {
  if (const auto told = numbers_in(files.text("/sys/devices/system/node/has_memory"))) return *told;
  return online;
}

// The nodes that this process may take memory from.
Numbers allowed_memory(const SystemFiles& files, const Numbers& online) {
  const std::string status = files.text("/proc/self/status").value_or("");
  const auto line = value_of(status, "Mems_allowed_list");
  return line ? parse_cpu_list(*line).value_or(online) : online;
}

std::vector<Numbers> cores_of(const SystemFiles& files, const Numbers& cpus) {
  std::vector<Numbers> cores;
  for (const std::size_t cpu : cpus) {
    if (std::ranges::any_of(cores, [&](const Numbers& core) { return holds(core, cpu); })) continue;
    const auto siblings =
        numbers_in(files.text(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu)));
    Numbers core;
    for (const std::size_t sibling : siblings.value_or(Numbers{cpu})) {
      if (holds(cpus, sibling)) core.push_back(sibling);
    }
    cores.push_back(core.empty() ? Numbers{cpu} : core);
  }
  return cores;
}

Numbers distances_in(const SystemFiles& files, const std::string& directory) {
  Numbers distances;
  const std::string text = files.text(directory + "/distance").value_or("");
  for (const std::string_view word : split(trimmed(text), ' ')) {
    const auto distance = parse_whole(word);
    if (!distance) return {};
    distances.push_back(*distance);
  }
  return distances;
}

}  // namespace

std::vector<NumaNode> numa_nodes_from(const SystemFiles& files) {
  const Numbers online = numbers_in(files.text("/sys/devices/system/node/online")).value_or(Numbers());
  const Numbers memory = with_memory(files, online);
  const Numbers allowed = allowed_memory(files, online);
  std::vector<NumaNode> nodes;
  for (const std::size_t number : online) {
    const std::string directory = fmt::format("/sys/devices/system/node/node{}", number);
    const Numbers cpus = numbers_in(files.text(directory + "/cpulist")).value_or(Numbers());
    nodes.push_back({.number = number,
                     .cores = cores_of(files, cpus),
                     .memory = holds(memory, number) && holds(allowed, number),
                     .distances = distances_in(files, directory)});
  }
  return nodes;
}

std::vector<NumaNode> numa_nodes_now() {
  return numa_nodes_from(SystemFiles());
}

}  // namespace loadline
