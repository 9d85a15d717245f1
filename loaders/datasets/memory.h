// A dataset that lies whole in this process's memory.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/system/memory.h"
#include "loaders/system/numa.h"

namespace loadline {

class MemoryDataset final : public AddressableDataset {
 public:
  // `samples` holds info.samples samples back to back from byte `offset` on. Sets info().access.
  MemoryDataset(DatasetInfo info, std::vector<std::int32_t> labels, NodeMemory samples, std::size_t offset = 0);

  void locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const override;
  std::vector<std::span<const std::byte>> memory() const override { return memory_.all(); }

 private:
  NodeMemory memory_;
  const std::byte* first_;
  std::size_t stride_;
};

// A copy of `dataset` in huge-page memory: same info, labels and bytes. Of its first samples alone where all of them
// would take more than `most_bytes`. Not of a volume, which copies itself (open_volume()).
std::unique_ptr<Dataset> copy_to_memory(const Dataset& dataset,
                                        std::size_t most_bytes = std::numeric_limits<std::size_t>::max(),
                                        const MemoryPlace& place = {});

}  // namespace loadline
