// The pool that slots come from and go home to.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "loaders/batch.h"
#include "loaders/system/memory.h"

namespace loadline {

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

}  // namespace loadline
