// From options to an ordered list of cells, each with every setting resolved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/options.h"
#include "harness/plan/placement.h"
#include "harness/plan/workloads.h"
#include "loaders/datasets/datasets.h"
#include "loaders/loader.h"
#include "loaders/sampler.h"
#include "loaders/transforms/image_transform.h"
#include "loaders/transforms/photo_transform.h"
#include "loaders/transforms/volume_transform.h"
#include "synthetic/compute/compute.h"

namespace loadline {

enum class Mode : std::uint8_t { kIo, kSynthetic, kFull, kOverhead };

// "IO", "SYNTHETIC", "FULL", "OVERHEAD".
std::string_view name(Mode mode);

// Whether trials of this mode pull their batches from a loader.
constexpr bool uses_loader(Mode mode) {
  return mode == Mode::kIo || mode == Mode::kFull;
}

// What the page cache holds of the dataset when a trial begins.
enum class CacheState : std::uint8_t { kWarm, kCold, kAsIs };

// "warm", "cold", "as-is".
std::string_view name(CacheState state);

// One configuration to measure, complete in itself.
struct Cell {
  std::string workload;
  Mode mode = Mode::kIo;
  std::filesystem::path data;
  std::filesystem::path staged_from;  // the original that stage_files() copies to `data`; empty: `data` is no copy
  std::string how_to_get_it;          // a command, shown when the data is missing
  DatasetOptions dataset;
  std::size_t classes = 0;     // that the workload's labels may cover
  TransformOptions transform;  // for images of one size
  PhotoOptions photo;          // for encoded images
  VolumeOptions volume;        // for crops of volumes
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  std::string kernels;
  SamplerOptions sampler;  // without the number of samples, which comes from the dataset
  Precision precision = Precision::kF32;
  bool fusion = true;
  std::size_t compute_threads = 1;
  Placement placement;
  std::string compute;                // "drain" if the mode has no compute
  std::optional<std::string> loader;  // nullopt: resident batches
  // The external loader that resident batches come from; nullopt: they are assembled from the dataset.
  std::optional<std::string> resident_of;
  std::size_t workers = 0;              // 0: the loader has none
  std::optional<std::size_t> prefetch;  // nullopt: as many as fit the cache; meaningless without workers
  bool in_order = true;
  std::optional<Stores> stores;  // nullopt: each worker finds out which is faster
  CacheState cache = CacheState::kWarm;
  std::size_t threads_in_force = 1;
  std::vector<std::string> axes;  // settings that its name includes in addition to those of every name

  // "cifar10/IO/thread-pool/workers:2/batch:512/prefetch:4": names the cell in the result.
  std::string name() const;
};

// Whether the cell has a loader that starts with the page cache in this state.
inline bool starts(const Cell& cell, CacheState state) {
  return uses_loader(cell.mode) && cell.cache == state;
}

struct Plan {
  RunOptions options;
  std::vector<Cell> cells;
  bool ceilings_alone = false;                        // the cells only determine the ceilings and have no trials
  std::optional<std::size_t> divided_configurations;  // by --part, in all parts together; absent without it
  std::vector<std::string> idle_exclusions;           // texts of --exclude whose conditions no cell meets
};

struct PlanContext {
  std::size_t threads_in_force = 1;
  std::vector<std::size_t> cpus;  // that the process may run on
  std::vector<NumaNode> nodes = {};
  std::filesystem::path data_directory;
};

// All combinations of the options' lists, in the order of the lists: FULL and IO for each loader and worker count,
// SYNTHETIC once for each batch and compute, and one OVERHEAD cell for the run. --exclude, --filter and --part remove
// cells, and equal cells become one. Throws usage Error for options that cannot be combined, and if no cells or too
// many are left.
Plan make_plan(const RunOptions& options, const PlanContext& context);

// The order of the cells' trials in round `round`: a permutation drawn from the seed.
std::vector<std::size_t> round_order(std::uint64_t seed, std::uint64_t round, std::size_t cells);

// The order of the trials in a round of two sides with `pairs` cells each: one pair after the other, the two of each
// pair in an order drawn from the seed. The numbers of the second side's cells follow those of the first.
std::vector<std::size_t> pair_order(std::uint64_t seed, std::uint64_t round, std::size_t pairs);

// How many batches to prefetch for `last_level_cache_bytes` and this size of slots: from 2 to 16, so that they and
// the slots being filled and read take a fifth of the cache, of which a virtual machine is shown all, although others
// use it too. More only move the hand-over from the cache to memory. f32 batches of 6 MiB gave 2.7 M samples/s with 2
// and 1.2 M with 8 on a cache of 32 MiB; with four workers on 16 CPUs that are shown 300 MiB, 1.7 M with 2, 1.6 M with
// 4 and 1.4 M with 11 or 16.
std::size_t suitable_prefetch(std::optional<std::uint64_t> last_level_cache_bytes, std::size_t slot_bytes,
                              std::size_t workers);

}  // namespace loadline
