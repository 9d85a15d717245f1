#include "loaders/loader.h"

#include <array>

#include "loaders/engines/engines.h"
#include "loaders/names.h"

namespace loadline {
namespace {

constexpr std::array kLoaders{
    LoaderKind{"serial", "on the consumer's own thread, no read-ahead: the reference", false, {}, make_serial},
    LoaderKind{"thread-pool", "worker threads that fill slots ahead of the consumer", true, {}, make_thread_pool},
    LoaderKind{"flow-graph", "as thread-pool, scheduled by a oneTBB flow graph", true, {}, make_flow_graph},
    LoaderKind{"hdf5-mmap", "thread-pool on an HDF5 file mapped into memory, past the library", true, Access::kMapped,
               make_thread_pool},
    LoaderKind{"hdf5", "thread-pool through the HDF5 library, one read a sample, as training scripts do", true,
               Access::kRows, make_thread_pool},
    LoaderKind{"hdf5-block", "thread-pool through the HDF5 library, one read for each run of neighbours in a batch",
               true, Access::kBlocks, make_thread_pool},
    LoaderKind{"hdf5-chunk", "thread-pool on whole chunks of an HDF5 file, inflated by the workers", true,
               Access::kChunks, make_thread_pool},
};

}  // namespace

std::span<const LoaderKind> loaders() {
  return kLoaders;
}

const LoaderKind& loader_named(std::string_view name) {
  return row_named(kLoaders, "loader", name);
}

std::size_t slots_of(const LoaderKind& kind, const LoaderOptions& options) {
  const std::size_t consumer = 1 + options.held_batches;
  return kind.has_workers ? options.workers + options.prefetch + consumer : consumer;
}

}  // namespace loadline
