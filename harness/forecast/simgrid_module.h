// The interface between loadline and SimGrid, as C functions. SimGrid is used from a separate module,
// loadline_simgrid.so, which is loaded when something is simulated, so the tool itself runs without SimGrid.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loadline {

// At most this many groups are simulated: more nodes than this are put into groups that read and step at the same
// time.
inline constexpr std::size_t kMostGroups = 256;

// Nodes that do the same things at the same time.
struct SimulatedGroup {
  double nodes = 1;
  double ranks = 1;  // on all its nodes together
};

struct SimulatedEpoch {
  std::size_t steps = 1;  // simulated ones
  double missed = 1;      // share of the samples of its first step that come from storage
  double decay = 0;       // by which the logarithm of that share falls in each step
};

// Ranks that take steps and read batches from storage that they share, as plain data. Times are in seconds; rates are
// in samples per second and count only samples that come from storage. 0: no limit.
struct SimulatedRun {
  double batch_size = 1;          // per rank
  double hit_seconds = 0;         // for a rank to load a batch that its node has in memory
  double miss_seconds = 0;        // the same from storage where nobody else reads
  bool ahead = false;             // a mixed batch takes the longer of the two times, rather than their mean
  double least_seconds = 0;       // of any batch, at least
  double least_missed = 0;        // share of samples for which a node has no memory
  double storage_per_second = 0;  // for all nodes together
  double node_per_second = 0;
  double step_seconds = 0;
  double reduction_seconds = 0;  // after the slowest rank's step
  double variation = 0;          // standard deviation over mean of a rank's pace
  double pace_steps = 1;         // for which a rank keeps its pace
  std::size_t queue = 0;         // batches that may be ready; 0: the stepping thread loads them itself
  bool together = true;          // no step begins before all ranks have ended the last one
  std::size_t warm_up = 0;       // steps before the first epoch, with the same share of misses
  std::uint64_t seed = 0;        // for paces and for what a batch misses; 0: every rank and every batch is average
  double copied_bytes = 0;       // that one rank of each node copies before anything else
  double storage_bytes_per_second = 0;
  double node_bytes_per_second = 0;
};

struct SimulatedOutcome {
  double copy_seconds = 0;  // until the last node has its copy
  double wait_seconds = 0;  // per rank, after the warm-up: for data, and below for the slowest rank
  double held_seconds = 0;
};

struct SimGridFunctions {
  static constexpr unsigned kVersion = 1;

  unsigned version;  // kVersion of the code that filled this in
  // The version of SimGrid it was built with: "3.32". A static string.
  const char* (*library)();
  // Writes to `step_ends` when each step ended, the warm-up's first, in seconds after copying; it must have room for
  // all steps. `group_count` is at most kMostGroups. Returns null, or why it failed: valid until the next call. Must
  // always be called from the same thread of the process.
  const char* (*simulate)(const SimulatedRun* run, const SimulatedGroup* groups, std::size_t group_count,
                          const SimulatedEpoch* epochs, std::size_t epoch_count, double* step_ends,
                          SimulatedOutcome* outcome);
};

// The module's one symbol.
extern "C" __attribute__((visibility("default"))) const SimGridFunctions* loadline_simgrid_functions();

}  // namespace loadline
