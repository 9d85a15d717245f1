// The NUMA nodes of a machine, and the placement of threads and memory on them. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace loadline {

struct CpusInForce;
struct Threads;

struct NumaNode {
  std::size_t number = 0;                       // the system's
  std::vector<std::vector<std::size_t>> cores;  // the CPUs of each core; empty: the node has only memory
  bool memory = true;                  // whether this process may use its memory; false also if the node has none
  std::vector<std::size_t> distances;  // to each node of the list, including itself; empty: not known

  bool operator==(const NumaNode&) const = default;
};

// The CPUs of one node that workers are bound to.
struct NodeCpus {
  std::size_t node = 0;
  std::vector<std::size_t> cpus;

  bool operator==(const NodeCpus&) const = default;
};

// "numa", or "numa:replicate".
//
// Only one thread takes batches, so when it waits for memory, everything waits; it comes first. The step gets whole
// cores: the last ones of the node on which the process has the most CPUs (`compute_threads` of them, 1 if the step
// ignores that option, half of the CPUs by default). Slots lie in the memory nearest to it. A worker writes a slot
// without waiting for the memory, and more workers can be added, so workers get all other CPUs. Each is bound to a
// node, not to a CPU: first one worker per core, on the step's own node and then on the nearest others, then one per
// second hyperthread in the same order, and then from the beginning again.
//
// Throws usage Error if the machine reports no nodes or has too few CPUs.
Threads place_on_nodes(std::string_view placement, std::optional<std::size_t> compute_threads, const CpusInForce& cpus);

}  // namespace loadline
