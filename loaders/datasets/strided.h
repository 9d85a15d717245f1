// Samples of one size, back to back, mapped or in this process's memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "loaders/datasets/one_piece.h"
#include "loaders/storage/mapping.h"
#include "loaders/system/numa.h"

namespace loadline {

class StridedDataset final : public OnePiece<AddressableDataset> {
 public:
  // `first`: the first of info.samples samples of info.sample_bytes() bytes each, all within `file`.
  StridedDataset(DatasetInfo info, Labels labels, std::shared_ptr<const MappedFile> file, const std::byte* first);
  // `samples` holds the samples from byte `offset` on. Sets info().access.
  StridedDataset(DatasetInfo info, Labels labels, NodeMemory samples, std::size_t offset = 0);

 private:
  void locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const override;

  const std::byte* first_;  // if in memory, in its first copy
};

}  // namespace loadline
