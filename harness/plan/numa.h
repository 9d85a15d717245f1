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
  std::vector<std::vector<std::size_t>> cores;  // the CPUs of each; empty: it is memory alone
  bool memory = true;                           // that this process may use; false also if the node has no memory
  std::vector<std::size_t> distances;           // to each node of the list, itself among them; empty: not known

  bool operator==(const NumaNode&) const = default;
};

// CPUs of one node that workers are bound to.
struct NodeCpus {
  std::size_t node = 0;
  std::vector<std::size_t> cpus;

  bool operator==(const NodeCpus&) const = default;
};

// "numa", or "numa:replicate".
//
// The thread that takes the batches is the only one of its kind: what it waits for memory, everybody waits for. So it
// comes first. The step has whole cores, the last of the node on which the process has the most CPUs (`compute_threads`
// of them, 1 where the step heeds none, half of the CPUs by default), and slots lie on the memory nearest to it. A
// worker writes a slot without waiting for the memory, and there are as many workers as it takes: they get all other
// CPUs, bound to a node each and not to a CPU: first one for each core, of the step's own node before the nearest
// others, then one for each second hyperthread in the same order, and so on from the beginning.
//
// Throws usage Error where the machine tells no nodes, or has too few CPUs.
Threads place_on_nodes(std::string_view placement, std::optional<std::size_t> compute_threads, const CpusInForce& cpus);

}  // namespace loadline
