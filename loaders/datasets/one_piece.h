// Shared by datasets whose stored bytes are contiguous, in a mapped file or in memory.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/storage/mapping.h"
#include "loaders/system/numa.h"

namespace loadline {

// `Base`: Dataset, or a kind of it.
template <typename Base>
class OnePiece : public Base {
 public:
  void check_intact() const final {
    if (file_) file_->check_intact();
  }
  void check_files() const final {
    if (file_) file_->check_size();
  }
  std::vector<MappedBytes> mapped_files() const final {
    return file_ ? std::vector{file_->bytes()} : std::vector<MappedBytes>();
  }
  std::vector<std::span<const std::byte>> memory() const final {
    return memory_ ? memory_->all() : std::vector<std::span<const std::byte>>();
  }

 protected:
  // `file` is shared because its labels may lie in it too.
  OnePiece(DatasetInfo info, Labels labels, std::shared_ptr<const MappedFile> file)
      : Base(std::move(info), std::move(labels)), file_(std::move(file)) {}
  // Sets info().access.
  OnePiece(DatasetInfo info, Labels labels, NodeMemory memory)
      : Base(resident(std::move(info)), std::move(labels)), memory_(std::move(memory)) {}

  // Exactly one of the two is set.
  const MappedFile* file() const { return file_.get(); }
  const std::optional<NodeMemory>& own_memory() const { return memory_; }

 private:
  void forget_samples() const final {
    if (file_) file_->forget_pages();
  }

  std::shared_ptr<const MappedFile> file_;
  std::optional<NodeMemory> memory_;
};

}  // namespace loadline
