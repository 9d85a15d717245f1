// Which CPUs the workers and the compute run on, and on which NUMA nodes their memory should lie.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/numa.h"

namespace loadline {

// Two lists of CPUs, ascending, that share no CPU. Both empty: threads run wherever the process may.
struct Placement {
  std::string name = "shared";
  std::vector<std::size_t> worker_cpus;
  std::vector<std::size_t> compute_cpus;
  // For "numa" only; memory without a node lies where it is first touched.
  std::vector<NodeCpus> nodes = {};                     // that workers are bound to, split from worker_cpus
  std::vector<std::size_t> turns = {};                  // the node of each worker in turn, repeated
  std::optional<std::size_t> slot_node = std::nullopt;  // where slots should lie
  std::vector<std::size_t> data_nodes = {};             // where samples in memory should lie

  // The node that worker `index` is bound to; nullopt: none.
  std::optional<std::size_t> node_of_worker(std::size_t index) const;
  // The CPUs of each of `workers` workers; empty: all may run on worker_cpus.
  std::vector<std::vector<std::size_t>> cpus_of_workers(std::size_t workers) const;
  // slot_node as a list; empty: no node in particular.
  std::vector<std::size_t> slot_nodes() const {
    return slot_node ? std::vector{*slot_node} : std::vector<std::size_t>();
  }
  bool replicates() const { return name == kNumaReplicate; }

  static constexpr std::string_view kNumaReplicate = "numa:replicate";

  bool operator==(const Placement&) const = default;
};

struct CpusInForce {
  std::vector<std::size_t> cpus;  // that the process may run on, ascending
  std::size_t in_force = 1;       // how many it may use at a time
  std::vector<NumaNode> nodes = {};
};

struct Threads {
  std::size_t compute = 1;
  Placement placement;
};

// `placement` is "shared" (one compute thread per CPU, on all CPUs), "split" (the compute gets the last CPUs, half of
// them unless `compute_threads` says how many), "numa" (place_on_nodes()) or "pin:LIST" (the compute gets the listed
// CPUs, such as pin:0-3,8). Throws usage Error naming the option that is wrong.
Threads place_threads(std::string_view placement, std::optional<std::size_t> compute_threads, const CpusInForce& cpus);

// Throws usage Error if the compute needs more threads than `most`, the number of CPUs `where`.
void check_compute_threads(std::size_t threads, std::size_t most, std::string_view where);

}  // namespace loadline
