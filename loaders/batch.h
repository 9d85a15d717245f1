// Slots of memory that batches are assembled in, the pool they come from and go home to, and the ring they are
// delivered through.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "loaders/storage/memory.h"
#include "loaders/tensor.h"

namespace loadline {

using SampleIndex = std::uint32_t;  // place of a sample in its dataset; a dataset holds fewer than 2^32 - 1

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
  // Of tokens, what the samples have to predict, and what they would have to were none of them short. 0 of all else.
  std::size_t tokens = 0;
  std::size_t token_places = 0;
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

// A fixed number of slots, allocated by the constructor, each faulted in by its first borrower: the
// first batch waits for its own slot alone. Slots that were never lent come first, so that once as many batches were
// acquired as there are slots, no fault is left. Thread-safe. Of the slots given back, the latest 2 MiB are passed over
// and the one before them is lent first: still in the cache all cores share, no longer in the consumer's own. Where
// that leaves none, the one given back first.
class BatchPool final : public SlotHome {
 public:
  // On these NUMA nodes, where any are named (HugeMemory). Throws Error when the memory is refused.
  BatchPool(std::size_t slots, std::size_t batch_size, std::size_t sample_bytes,
            std::span<const std::size_t> nodes = {});
  BatchPool(const BatchPool&) = delete;
  BatchPool& operator=(const BatchPool&) = delete;
  ~BatchPool() = default;

  // Waits for a free slot. Empty once closed.
  Batch acquire();
  // Does not wait: empty when no slot is free.
  Batch try_acquire();
  // Waits until a slot is free, or it is closed.
  void wait_for_free();
  std::size_t free_slots() const;
  // Wakes all waiting threads; from now on acquire() gives none. Slots may still go home.
  void close();

  // A batch taken apart for the ring, and put together again.
  Slot* release(Batch batch) { return batch.release(); }
  Batch adopt(Slot* slot) { return Batch(slot, Return{this}); }

  std::size_t size() const { return slots_.size(); }
  std::size_t slot_size_bytes() const { return memory_.bytes().size() / slots_.size(); }
  // Of each slot, lent or not.
  std::vector<std::span<const std::byte>> slot_memory() const;

 private:
  void put(Slot* slot) override;
  bool any_free() const { return lent_ < slots_.size() || !older_.empty() || recent_count_ > 0; }
  Slot* take_oldest_recent();
  Slot* take();
  // Outside the lock: takes long.
  Batch ready(Slot* slot);

  HugeMemory memory_;
  std::vector<Slot> slots_;
  const std::size_t reuse_depth_;  // how many slots given back later are passed over
  // Held for a few steps, whatever the number of slots and threads.
  alignas(64) mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t lent_ = 0;  // slots, from the first on, that were lent at least once
  // Those given back and not lent again: the latest in a circle, the others as a stack.
  std::vector<Slot*> recent_;
  std::size_t first_recent_ = 0;
  std::size_t recent_count_ = 0;  // at most the reuse depth
  std::vector<Slot*> older_;
  std::size_t waiting_ = 0;
  bool closed_ = false;
};

// Where finished slots wait for the one consumer. Positions count from 0; each is published once, in any order, by any
// thread, and taken in order.
class DeliveryRing {
 public:
  // For the slots of `pool`. The consumer waits awake for `patience` before it sleeps.
  DeliveryRing(const BatchPool& pool, std::chrono::nanoseconds patience);

  void publish(std::uint64_t position, Slot* slot);
  // Waits for the next position in order. Null once closed and, in order, nothing more is there.
  Slot* take();
  // Waits until take() need not wait, for `limit` at the most; returns whether it came to that. The consumer's thread.
  bool wait(std::chrono::nanoseconds limit);
  // How many were published and not taken, those behind one that is still missing among them. The consumer's thread.
  std::size_t ready() const;
  // How many were taken. Any thread.
  std::uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  // How many were published. Any thread.
  std::uint64_t published() const { return published_.load(std::memory_order_relaxed); }
  // Wakes the consumer. What was published before can still be taken. Any thread, more than once.
  void close();

 private:
  // On a line of its own: neighbours are published by different threads.
  struct alignas(64) Cell {
    std::atomic<Slot*> slot{nullptr};
  };

  Slot* sleep_until_published(const std::atomic<Slot*>& cell);

  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};

  std::vector<Cell> cells_;
  std::size_t mask_;
  std::chrono::nanoseconds patience_;
  std::uint64_t tolerated_backlog_;  // batches published and not taken
  std::atomic<bool> closed_{false};
  // Lines that one side writes and the other reads now and then.
  alignas(64) std::uint64_t next_ = 0;            // the consumer's
  std::atomic<std::uint64_t> taken_{0};           // next_, for the producers to see
  std::atomic<std::uint64_t> awaited_{kNothing};  // position that the consumer sleeps for
  alignas(64) std::atomic<std::uint64_t> published_{0};
  alignas(64) std::mutex mutex_;
  std::condition_variable wake_;
};

}  // namespace loadline
