#include "loaders/datasets/strided.h"

#include <utility>

namespace loadline {
StridedDataset::StridedDataset(DatasetInfo info, Labels labels, std::shared_ptr<const MappedFile> file,
                               const std::byte* first)
    : OnePiece(std::move(info), std::move(labels), std::move(file)), first_(first) {}

StridedDataset::StridedDataset(DatasetInfo info, Labels labels, NodeMemory samples, std::size_t offset)
    : OnePiece(std::move(info), std::move(labels), std::move(samples)), first_(own_memory()->first().data() + offset) {}

void StridedDataset::locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const {
  const std::byte* const first = own_memory() ? own_memory()->here(first_) : first_;
  const std::size_t stride = info().sample_bytes();  // computed once per batch
  for (std::size_t i = 0; i < indices.size(); ++i) out[i] = {first + indices[i] * stride, stride};
}

}  // namespace loadline
