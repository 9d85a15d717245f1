#include "loaders/datasets/memory.h"

#include <algorithm>
#include <utility>

namespace loadline {
namespace {

DatasetInfo resident(DatasetInfo info) {
  info.access = Access::kResident;
  return info;
}

// A copy and the mapped pages it was made from would take the memory twice; this much at a time does not show.
constexpr std::size_t kBytesToForget = std::size_t{4} << 20;

}  // namespace

MemoryDataset::MemoryDataset(DatasetInfo info, std::vector<std::int32_t> labels, HugeMemory samples, std::size_t offset)
    : AddressableDataset(resident(std::move(info)), std::move(labels)),
      memory_(std::move(samples)),
      first_(memory_.bytes().data() + offset),
      stride_(this->info().sample_bytes()) {}

void MemoryDataset::locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const {
  for (std::size_t i = 0; i < indices.size(); ++i) out[i] = {first_ + indices[i] * stride_, stride_};
}

std::unique_ptr<Dataset> copy_to_memory(const Dataset& dataset) {
  dataset.forget_pages();  // those that were read for the labels
  HugeMemory memory(dataset.info().samples * dataset.info().sample_bytes());
  std::byte* out = memory.bytes().data();
  std::size_t remembered = 0;
  visit_samples(dataset, [&](StoredSample sample) {
    out = std::ranges::copy(sample, out).out;
    remembered += sample.size();
    if (remembered >= kBytesToForget) {
      dataset.forget_pages();
      remembered = 0;
    }
    return true;
  });
  return std::make_unique<MemoryDataset>(dataset.info(), std::vector(dataset.labels().begin(), dataset.labels().end()),
                                         std::move(memory));
}

}  // namespace loadline
