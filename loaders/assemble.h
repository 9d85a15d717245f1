// The work that every loader schedules.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "loaders/batch.h"
#include "loaders/datasets/dataset.h"
#include "loaders/store_choice.h"
#include "loaders/transforms/image_transform.h"

namespace loadline {

// Indices + dataset + transform -> one filled slot: what is to be done, shared by all threads. Immutable.
class Assembler {
 public:
  // Borrows both, which must outlive it.
  Assembler(const Dataset& dataset, const ImageTransform& transform) : dataset_(dataset), transform_(transform) {}

  std::size_t sample_bytes() const { return transform_.sample_bytes(); }
  const Dataset& dataset() const { return dataset_; }
  const ImageTransform& transform() const { return transform_; }

 private:
  const Dataset& dataset_;
  const ImageTransform& transform_;
};

// What one thread needs of its own to fill slots, and what it has learned. Made before the clock runs: fill() allocates
// nothing. Borrows the assembler, which must outlive it.
class Filler {
 public:
  // For slots of up to `batch_size` samples. `stores`: how to write; none: what this thread learns to be faster.
  Filler(const Assembler& assembler, std::size_t batch_size, std::optional<Stores> stores);

  // Fills data and labels of the slot's first `count` samples, whose indices and epoch it holds already. One thread at
  // a time. Throws Error naming file and place when storage fails under it. Streaming stores are fenced; where the
  // transform has none, cached ones take their place.
  void fill(Slot& slot);

 private:
  void assemble(Slot& slot, Stores stores);

  const Assembler& assembler_;
  std::unique_ptr<SampleReader> reader_;
  std::vector<StoredSample> samples_;  // of the batch in hand
  StoreChoice choice_;
};

}  // namespace loadline
