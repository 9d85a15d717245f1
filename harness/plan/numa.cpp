#include "harness/plan/numa.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "harness/plan/placement.h"
#include "loaders/error.h"

namespace loadline {
namespace {

using Cpus = std::vector<std::size_t>;
using Cores = std::vector<Cpus>;

std::size_t cpus_in(const Cores& cores) {
  return std::accumulate(cores.begin(), cores.end(), std::size_t{0},
                         [](std::size_t sum, const Cpus& core) { return sum + core.size(); });
}

// The indices of all nodes, ordered by distance from the node at `home`, then by index.
std::vector<std::size_t> by_distance(const std::vector<NumaNode>& nodes, std::size_t home) {
  const auto distance = [&](std::size_t node) {
    const auto& known = nodes[home].distances;
    if (node == home) return std::size_t{0};
    return node < known.size() ? known[node] : std::size_t{1} << 16;
  };
  std::vector<std::size_t> places(nodes.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, {}, distance);
  return places;
}

// For each node the cores that this process may run on, with the CPUs that it may use.
std::vector<Cores> allowed_cores(const std::vector<NumaNode>& nodes, const Cpus& allowed) {
  std::vector<Cores> left;
  for (const NumaNode& node : nodes) {
    Cores cores;
    for (const Cpus& core : node.cores) {
      Cpus cpus;
      std::ranges::copy_if(core, std::back_inserter(cpus),
                           [&](std::size_t cpu) { return std::ranges::find(allowed, cpu) != allowed.end(); });
      if (!cpus.empty()) cores.push_back(std::move(cpus));
    }
    left.push_back(std::move(cores));
  }
  return left;
}

// At least `count` CPUs, core by core, starting with the last core of the nearest node; whole cores, unless nothing
// would be left.
Cpus take_for_compute(std::size_t count, const std::vector<std::size_t>& nearest, std::vector<Cores>& left) {
  std::size_t all = 0;
  for (const Cores& cores : left) all += cpus_in(cores);
  Cpus taken;
  for (const std::size_t node : nearest) {
    Cores& cores = left[node];
    while (!cores.empty() && taken.size() < count) {
      Cpus& core = cores.back();
      const bool whole = taken.size() + core.size() < all;
      const auto from = core.end() - static_cast<std::ptrdiff_t>(whole ? core.size() : count - taken.size());
      taken.insert(taken.end(), from, core.end());
      core.erase(from, core.end());
      if (core.empty()) cores.pop_back();
    }
  }
  std::ranges::sort(taken);
  return taken;
}

// First one worker per core, node by node, then one per second CPU of each core, and so on.
void place_workers(const std::vector<NumaNode>& nodes, const std::vector<std::size_t>& nearest,
                   const std::vector<Cores>& left, Placement& placement) {
  for (const std::size_t node : nearest) {
    if (left[node].empty()) continue;
    NodeCpus& bound = placement.nodes.emplace_back(NodeCpus{.node = nodes[node].number, .cpus = {}});
    for (const Cpus& core : left[node]) bound.cpus.insert(bound.cpus.end(), core.begin(), core.end());
    std::ranges::sort(bound.cpus);
    placement.worker_cpus.insert(placement.worker_cpus.end(), bound.cpus.begin(), bound.cpus.end());
  }
  std::ranges::sort(placement.worker_cpus);
  for (std::size_t hyperthread = 0; placement.turns.size() < placement.worker_cpus.size(); ++hyperthread) {
    for (const std::size_t node : nearest) {
      const auto cores = std::ranges::count_if(left[node], [&](const Cpus& core) { return core.size() > hyperthread; });
      placement.turns.insert(placement.turns.end(), static_cast<std::size_t>(cores), nodes[node].number);
    }
  }
}

// The nearest memory; nullopt if no node has memory that this process may use.
std::optional<std::size_t> memory_near(const std::vector<NumaNode>& nodes, std::size_t node) {
  for (const std::size_t near : by_distance(nodes, node)) {
    if (nodes[near].memory) return nodes[near].number;
  }
  return std::nullopt;
}

}  // namespace

Threads place_on_nodes(std::string_view placement, std::optional<std::size_t> compute_threads,
                       const CpusInForce& cpus) {
  std::vector<Cores> left = allowed_cores(cpus.nodes, cpus.cpus);
  const auto most = std::ranges::max_element(left, {}, cpus_in);
  const std::size_t known = most == left.end() ? 0 : cpus_in(*most);
  if (known == 0) {
    throw usage_error(fmt::format(
        "--placement {}: this system reports no NUMA nodes (/sys/devices/system/node); use --placement split",
        placement));
  }
  const auto home = static_cast<std::size_t>(most - left.begin());
  std::size_t all = 0;
  for (const Cores& cores : left) all += cpus_in(cores);
  all = std::min(all, cpus.in_force);
  if (all < 2) throw usage_error(fmt::format("--placement {}: it needs at least 2 CPUs, but 1 is in force", placement));
  Threads threads{.compute = compute_threads.value_or(all / 2), .placement = {.name = std::string(placement)}};
  check_compute_threads(threads.compute, all - 1, "in force less one for the workers");
  const auto nearest = by_distance(cpus.nodes, home);
  threads.placement.compute_cpus = take_for_compute(threads.compute, nearest, left);
  place_workers(cpus.nodes, nearest, left, threads.placement);
  threads.placement.slot_node = memory_near(cpus.nodes, home);
  for (const std::size_t node : nearest) {
    if (left[node].empty()) continue;
    const auto memory = memory_near(cpus.nodes, node);
    auto& data = threads.placement.data_nodes;
    if (memory && std::ranges::find(data, *memory) == data.end()) data.push_back(*memory);
  }
  return threads;
}

std::optional<std::size_t> Placement::node_of_worker(std::size_t index) const {
  return turns.empty() ? std::nullopt : std::optional(turns[index % turns.size()]);
}

std::vector<std::vector<std::size_t>> Placement::cpus_of_workers(std::size_t workers) const {
  std::vector<std::vector<std::size_t>> cpus;
  if (nodes.empty() || turns.empty()) return cpus;
  for (std::size_t i = 0; i < workers; ++i) {
    cpus.push_back(std::ranges::find(nodes, turns[i % turns.size()], &NodeCpus::node)->cpus);
  }
  return cpus;
}

}  // namespace loadline
