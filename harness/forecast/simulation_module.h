// What loadline asks of SimGrid, behind functions of C: a module of its own, loadline_simgrid.so, which is loaded when
// something is simulated.
#pragma once

#include <cstddef>

namespace loadline {

// A run of ranks in groups that are alike: each group is a node, or several that do everything at the same time.
struct SimulatedRun {
  std::size_t groups = 1;
  double nodes = 1;           // of all groups
  double ranks = 1;           // of all groups
  double batch_size = 1;      // samples of a rank's batch
  double batch_bytes = 0;     // of it that come from the shared storage; 0: nothing does
  double batch_seconds = 0;   // of a rank's loader for a batch, where nobody else reads
  std::size_t queue = 1;      // batches that may be ready
  double step_seconds = 0;    // of a batch
  double step_variation = 0;  // standard deviation over mean, drawn anew for each rank and step
  double storage_bytes_per_second = 0;  // of all nodes; 0: no limit
  double node_bytes_per_second = 0;     // of a node's link to the storage; 0: no limit
  double reduced_bytes = 0;             // that a node sends in each step to the next; 0: none
  double reduction_seconds = 0;         // that this takes besides its bytes
  double network_bytes_per_second = 0;  // of a node's link to the others; 0: no limit
  bool together = true;                 // all groups end a step before any begins the next
  std::size_t steps = 40;               // that are simulated, the first of which are not counted
  std::size_t warm_up = 8;
};

struct SimulatedOutcome {
  double samples_per_second = 0;  // of all ranks
  double events = 0;              // flows and sleeps that were simulated
};

struct SimulationFunctions {
  static constexpr unsigned kVersion = 1;

  unsigned version;  // kVersion of the code that filled this in
  // All runs, each on a system of its own, side by side. Once in a process. Null, or why it cannot.
  const char* (*simulate)(const SimulatedRun* runs, std::size_t count, SimulatedOutcome* outcomes);
};

// The module's one symbol.
extern "C" __attribute__((visibility("default"))) const SimulationFunctions* loadline_simgrid_functions();

}  // namespace loadline
