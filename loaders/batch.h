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

// Memory for one batch. It has one owner at a time: the worker that fills it, then the consumer. An external loader's
// memory is its own: loadline does not write there, and labels and indices are empty if the loader reports none.
struct alignas(64) Slot {          // on lines of its own: neighbours are filled by different threads
  std::span<std::byte> data;       // capacity; the first `count` samples are valid, back to back or as a pair
  std::span<std::int32_t> labels;  // capacity; one a sample
  std::span<SampleIndex> indices;  // capacity; one a sample, the order they stand in
  std::size_t sample_bytes = 0;    // of one assembled sample in `data`
  // Of these, the target that the sample maps to. Where there are any, a batch is a pair of tensors: first the inputs
  // of all its samples, behind them the targets of all.
  std::size_t target_bytes = 0;
  std::size_t count = 0;  // samples in the batch; the last batch of an epoch may be short
  // Of tokens, what the samples have to predict, and what they would have to were none of them short: of text, none
  // shorter than the longest of the batch. 0 of all else.
  std::size_t tokens = 0;
  std::size_t token_places = 0;
  std::size_t tokens_cut = 0;  // of text, those that had no room in their sample
  std::uint64_t sequence = 0;  // place of the batch in the run, from 0, across epochs
  std::uint64_t epoch = 0;
  Stores stores = Stores::kCached;  // how `data` was written
  bool faulted_in = false;          // the pool's affair
  void* foreign = nullptr;          // of an external loader: the batch as its own kind of consumer knows it
  std::exception_ptr failure;       // set when the batch could not be assembled; a feed rethrows it

  std::span<const std::byte> bytes() const { return data.first(count * sample_bytes); }
  std::span<const std::byte> inputs() const { return data.first(count * (sample_bytes - target_bytes)); }
  std::span<const std::byte> targets() const { return bytes().subspan(inputs().size()); }
};

// Where a slot goes when its batch is given up: the pool that it is from, or what lent its memory.
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
