// The work that every loader schedules.
#pragma once

#include <cstdint>

#include "loaders/batch.h"
#include "loaders/datasets/dataset.h"
#include "loaders/transforms/image_transform.h"

namespace loadline {

// Indices + dataset + transform -> one filled slot. Immutable: any number of threads may fill slots of their own.
class Assembler {
 public:
  // Borrows both, which must outlive it.
  Assembler(const Dataset& dataset, const ImageTransform& transform) : dataset_(dataset), transform_(transform) {}

  std::size_t sample_bytes() const { return transform_.sample_bytes(); }
  const Dataset& dataset() const { return dataset_; }

  // Fills data and labels of the slot's first `count` samples, whose indices and epoch it holds already.
  // Throws Error naming file and place when storage fails under it. Streaming stores are fenced; where the
  // transform has none, cached ones take their place.
  void fill(Slot& slot, Stores wanted = Stores::kCached) const;

 private:
  const Dataset& dataset_;
  const ImageTransform& transform_;
};

}  // namespace loadline
