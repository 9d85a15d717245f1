// What loadline asks of SimGrid, behind functions of C. It is in a module of its own, loadline_simgrid.so, which is
// loaded when something is to be simulated: the tool itself runs where there is no SimGrid.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loadline {

// More take no part on their own: nodes beyond them are put into groups that read and step at the same time.
inline constexpr std::size_t kMostGroups = 256;

// Nodes that do the same at the same time.
struct SimulatedGroup {
  double nodes = 1;
  double ranks = 1;  // of all its nodes
};

struct SimulatedEpoch {
  std::size_t steps = 1;  // that are simulated
  double missed = 1;      // share of the samples of its first step that storage has to give
  double decay = 0;       // of this share: its logarithm falls by so much in each step
};

// Ranks that read batches from storage that they share and take steps, as plain data. Times in seconds, rates in
// samples per second, of which only those count that storage has to give. No limit: 0.
struct SimulatedRun {
  double batch_size = 1;          // of a rank
  double hit_seconds = 0;         // in which a rank loads a batch that its node has in memory
  double miss_seconds = 0;        // and one that comes from storage where nobody else reads
  bool ahead = false;             // the longer one of the two times goes for a mixed batch, rather than a mean of them
  double least_seconds = 0;       // of a batch in any case
  double least_missed = 0;        // share of samples that a node has no memory for
  double storage_per_second = 0;  // of all nodes
  double node_per_second = 0;
  double step_seconds = 0;
  double reduction_seconds = 0;  // after the step of the slowest
  double variation = 0;          // standard deviation over mean of a rank's pace
  double pace_steps = 1;         // for which a rank keeps a pace
  std::size_t queue = 0;         // batches that may be ready; 0: the thread that steps loads
  bool together = true;          // no step begins before all have ended the last one
  std::size_t warm_up = 0;       // steps before the first epoch, which they have the misses of
  std::uint64_t seed = 0;        // of paces and of what a batch misses; 0: no rank and no batch differs from the mean
  double copied_bytes = 0;       // that each node copies before all this, one rank of it
  double storage_bytes_per_second = 0;
  double node_bytes_per_second = 0;
};

struct SimulatedOutcome {
  double copy_seconds = 0;  // until the last node has its copy
  double wait_seconds = 0;  // for data, and for the slowest rank: of a rank, after the warm-up
  double held_seconds = 0;
};

struct SimGridFunctions {
  static constexpr unsigned kVersion = 1;

  unsigned version;  // kVersion of the code that filled this in
  // "3.32", which it was built with. A static string.
  const char* (*library)();
  // Writes when each step ended, those of the warm-up first, in seconds after copying: `step_ends` has room for all.
  // `groups` are kMostGroups at the most. Null, or why it cannot: valid until the next call. From one thread of the
  // process, always the same.
  const char* (*simulate)(const SimulatedRun* run, const SimulatedGroup* groups, std::size_t group_count,
                          const SimulatedEpoch* epochs, std::size_t epoch_count, double* step_ends,
                          SimulatedOutcome* outcome);
};

// The module's one symbol.
extern "C" __attribute__((visibility("default"))) const SimGridFunctions* loadline_simgrid_functions();

}  // namespace loadline
