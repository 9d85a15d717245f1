#include "harness/show/placement_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/machine/kernel_text.h"
#include "harness/result/counted.h"

namespace loadline {
namespace {

// What was found in all cells with this placement.
struct Found {
  std::vector<std::size_t> worker_nodes;  // ascending
  std::size_t there = 0;                  // slots of all trials on the node that was asked for
  std::size_t all = 0;
};

Found found_of(const Result& result, const Placement& placement) {
  Found found;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.placement.name != placement.name || cell.cell.placement.slot_node != placement.slot_node) continue;
    for (std::size_t i = 0; i < cell.cell.workers; ++i) {
      if (const auto node = cell.cell.placement.node_of_worker(i)) found.worker_nodes.push_back(*node);
    }
    for (const Trial& trial : counted(cell.trials)) {
      for (const OnNode& part : trial.slot_nodes) {
        found.all += part.count;
        if (part.node == placement.slot_node) found.there += part.count;
      }
    }
  }
  std::ranges::sort(found.worker_nodes);
  const auto rest = std::ranges::unique(found.worker_nodes);
  found.worker_nodes.erase(rest.begin(), rest.end());
  return found;
}

std::string slots_words(const Placement& placement, const Found& found, bool measured) {
  if (!measured || (found.all > 0 && found.there == found.all)) {
    return fmt::format("slots on node {}", *placement.slot_node);
  }
  if (found.all == 0) {
    return fmt::format("slots requested on node {}; the system does not report where they were", *placement.slot_node);
  }
  return fmt::format("slots requested on node {}, where {:.0f} % of them were", *placement.slot_node,
                     std::floor(100 * static_cast<double>(found.there) / static_cast<double>(found.all)));
}

}  // namespace

std::vector<std::string> placement_lines(const Result& result) {
  const bool measured = std::ranges::any_of(result.cells, [](const CellResult& cell) { return !cell.trials.empty(); });
  std::vector<std::string> lines;
  for (const CellResult& cell : result.cells) {
    const Placement& placement = cell.cell.placement;
    if (!placement.slot_node || cell.cell.mode == Mode::kOverhead) continue;
    const Found found = found_of(result, placement);
    std::string workers;
    if (!found.worker_nodes.empty()) {
      workers = fmt::format(", workers on CPUs {} of NUMA node{} {}", format_cpu_list(placement.worker_cpus),
                            found.worker_nodes.size() == 1 ? "" : "s", format_cpu_list(found.worker_nodes));
    }
    std::string line = fmt::format("{}: step on CPUs {}{}, {}", placement.name, format_cpu_list(placement.compute_cpus),
                                   workers, slots_words(placement, found, measured));
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace loadline
