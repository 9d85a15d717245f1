// Which CPUs the workers and the compute run on, and on which NUMA nodes their memory should lie.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/numa.h"

namespace loadline {

// Both empty: wherever the process may run. Otherwise they share no CPU, in ascending order.
struct Placement {
  std::string name = "shared";
  std::vector<std::size_t> worker_cpus;
  std::vector<std::size_t> compute_cpus;
  // Of "numa" alone; memory that no node is named for lies where it is first touched.
  std::vector<NodeCpus> nodes = {};                     // that workers are bound to; of worker_cpus
  std::vector<std::size_t> turns = {};                  // the node of each worker in turn, over and over
  std::optional<std::size_t> slot_node = std::nullopt;  // that slots should lie on
  std::vector<std::size_t> data_nodes = {};             // that samples in memory should lie on

  // The node that worker `index` is bound to; nullopt: to no node.
  std::optional<std::size_t> node_of_worker(std::size_t index) const;
  // The CPUs of each of so many workers; empty: all may run on worker_cpus.
  std::vector<std::vector<std::size_t>> cpus_of_workers(std::size_t workers) const;
  // That slots should lie on, as a list of one; empty: on no node in particular.
  std::vector<std::size_t> slot_nodes() const {
    return slot_node ? std::vector{*slot_node} : std::vector<std::size_t>();
  }
  bool replicates() const { return name == kNumaReplicate; }

  static constexpr std::string_view kNumaReplicate = "numa:replicate";

  bool operator==(const Placement&) const = default;
};

struct CpusInForce {
  std::vector<std::size_t> cpus;  // that the process may run on, ascending
  std::size_t in_force = 1;       // how many of them it may use at a time
  std::vector<NumaNode> nodes = {};
};

struct Threads {
  std::size_t compute = 1;
  Placement placement;
};

// From "shared" (one compute thread for each CPU, on all of them), "split" (the last CPUs are the compute's, half of
// them unless `compute_threads` says how many), "numa" (place_on_nodes()) or "pin:LIST" (those listed are, such as
// pin:0-3,8). Throws usage Error naming the option that is wrong.
Threads place_threads(std::string_view placement, std::optional<std::size_t> compute_threads, const CpusInForce& cpus);

// Throws usage Error where the compute asks for more threads than `most`, the CPUs `where`.
void check_compute_threads(std::size_t threads, std::size_t most, std::string_view where);

}  // namespace loadline
