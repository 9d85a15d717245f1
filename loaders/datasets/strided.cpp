#include "loaders/datasets/strided.h"

#include <utility>

namespace loadline {
namespace {

DatasetInfo resident(DatasetInfo info) {
  info.access = Access::kResident;
  return info;
}

}  // namespace

StridedDataset::StridedDataset(DatasetInfo info, Labels labels, std::shared_ptr<const MappedFile> file,
                               const std::byte* first)
    : AddressableDataset(std::move(info), std::move(labels)),
      file_(std::move(file)),
      first_(first),
      stride_(this->info().sample_bytes()) {}

StridedDataset::StridedDataset(DatasetInfo info, Labels labels, NodeMemory samples, std::size_t offset)
    : AddressableDataset(resident(std::move(info)), std::move(labels)),
      memory_(std::move(samples)),
      first_(memory_->first().data() + offset),
      stride_(this->info().sample_bytes()) {}

void StridedDataset::locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const {
  const std::byte* const first = memory_ ? memory_->here(first_) : first_;
  for (std::size_t i = 0; i < indices.size(); ++i) out[i] = {first + indices[i] * stride_, stride_};
}

void StridedDataset::check_intact() const {
  if (file_) file_->check_intact();
}

void StridedDataset::check_files() const {
  if (file_) file_->check_size();
}

void StridedDataset::forget_pages() const {
  if (file_) file_->forget_pages();
}

std::vector<MappedBytes> StridedDataset::mapped_files() const {
  return file_ ? std::vector{file_->bytes()} : std::vector<MappedBytes>();
}

std::vector<std::span<const std::byte>> StridedDataset::memory() const {
  return memory_ ? memory_->all() : std::vector<std::span<const std::byte>>();
}

}  // namespace loadline
