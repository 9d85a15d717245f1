// Slots of memory that batches are assembled in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>

#include "loaders/sample_index.h"
#include "loaders/tensor.h"

namespace loadline {

// Memory for one batch. It has one owner at a time: the worker that fills it, then the consumer. An external loader
// owns its memory: loadline does not write to it, and labels and indices are empty if the loader reports none.
struct alignas(64) Slot {          // on its own cache lines: different threads fill neighbouring slots
  std::span<std::byte> data;       // capacity; the first `count` samples are valid, back to back or as a pair
  std::span<std::int32_t> labels;  // capacity; one per sample
  std::span<SampleIndex> indices;  // capacity; one per sample, in delivery order
  std::size_t sample_bytes = 0;    // of one assembled sample in `data`
  // The part of sample_bytes that is the target. If it is not 0, a batch is a pair of tensors: the inputs of all its
  // samples, then the targets of all.
  std::size_t target_bytes = 0;
  std::size_t count = 0;  // samples in the batch; the last batch of an epoch may be short
  // For token batches: how many tokens the samples predict, and how many they would predict if every sample had full
  // length; for text, if every sample were as long as the batch's longest. 0 for other batches.
  std::size_t tokens = 0;
  std::size_t token_places = 0;
  std::size_t tokens_cut = 0;  // for text: tokens that did not fit in their sample
  std::uint64_t sequence = 0;  // number of the batch in the run, from 0, across epochs
  std::uint64_t epoch = 0;
  Stores stores = Stores::kCached;  // how `data` was written
  bool faulted_in = false;          // only the pool uses this
  void* foreign = nullptr;          // for external loaders: the batch as their own kind of consumer knows it
  std::exception_ptr failure;       // set when the batch could not be assembled; a feed rethrows it

  std::span<const std::byte> bytes() const { return data.first(count * sample_bytes); }
  std::span<const std::byte> inputs() const { return data.first(count * (sample_bytes - target_bytes)); }
  std::span<const std::byte> targets() const { return bytes().subspan(inputs().size()); }
};

// Where a slot returns when its batch is destroyed: the pool it came from, or whatever lent its memory.
class SlotHome {
 public:
  // Takes the slot back. Any thread.
  virtual void put(Slot* slot) = 0;

 protected:
  ~SlotHome() = default;
};

struct Return {
  SlotHome* home = nullptr;
  void operator()(Slot* slot) const { home->put(slot); }
};

// A batch belongs to its holder and returns home when it is destroyed; its home must outlive it.
using Batch = std::unique_ptr<Slot, Return>;

}  // namespace loadline
