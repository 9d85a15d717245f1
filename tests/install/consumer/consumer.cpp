// Links the installed libraries: a dataset in memory, loaded by a loader of the table and counted.
#include <cstdio>

#include "harness/plan/workloads.h"
#include "loaders/datasets/strided.h"
#include "loaders/loader.h"

int main() {
  using namespace loadline;
  if (workloads().empty()) return 1;
  const StridedDataset dataset({.format = "memory", .samples = 10, .shape = {1, 2, 2}, .classes = 1},
                               std::vector<std::int32_t>(10), HugeMemory(40));
  const ImageAssembler assembler(dataset, {{1, 2, 2}, {.dtype = DType::kU8}, kernels_named("auto")});
  const Sampler sampler({.samples = 10, .batch_size = 4});
  const auto feed = loader_named("thread-pool").make(assembler, sampler, {.workers = 2, .stream = {.epochs = 1}});
  std::size_t batches = 0;
  std::size_t samples = 0;
  while (const Batch batch = feed->next()) {
    ++batches;
    samples += batch->count;
  }
  std::printf("thread-pool with 2 workers: %zu batches of %zu samples\n", batches, samples);
}
