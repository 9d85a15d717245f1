// The pool that lends slots and takes them back.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "loaders/batch.h"
#include "loaders/system/memory.h"

namespace loadline {

// A slot just returned is in the consumer's second-level cache, from which a worker on another core fetches line by
// line with each store. After this many bytes of other slots it has moved to the last level, which all cores reach
// faster: batches of 64 samples of 3 KB went from 2.4 to 4.4 M samples/s with one worker. After many more bytes it
// would leave the last level as well.
inline constexpr std::size_t kReuseBytes = std::size_t{2} << 20;

// A fixed number of slots, allocated by the constructor and faulted in by their first borrower, so the first batch
// waits only for its own slot. Slots that were never lent go first: once as many batches have been acquired as there
// are slots, every page is faulted in. After that the pool passes over the slots returned last, up to kReuseBytes, and
// lends the one returned just before them, which is still in the cache that all cores share but no longer in the
// consumer's own. If all free slots are among those, the one returned first is lent. Thread-safe.
class BatchPool final : public SlotHome {
 public:
  // What a slot takes: its samples with their labels and indices, in whole pages.
  static std::size_t slot_size_bytes(std::size_t batch_size, std::size_t sample_bytes);

  // `nodes`: NUMA nodes for the memory (HugeMemory); empty: any. Throws Error if the memory is refused.
  BatchPool(std::size_t slots, std::size_t batch_size, std::size_t sample_bytes,
            std::span<const std::size_t> nodes = {});
  BatchPool(const BatchPool&) = delete;
  BatchPool& operator=(const BatchPool&) = delete;
  ~BatchPool() = default;

  // Waits for a free slot. Returns an empty batch once closed.
  Batch acquire();
  // Does not wait: returns an empty batch if no slot is free.
  Batch try_acquire();
  // Waits until a slot is free or the pool is closed.
  void wait_for_free();
  std::size_t free_slots() const;
  // Wakes all waiting threads; from now on acquire() returns empty batches. Slots may still be returned.
  void close();

  // Turn a batch into a bare slot for the ring, and back.
  Slot* release(Batch batch) { return batch.release(); }
  Batch adopt(Slot* slot) { return Batch(slot, Return{this}); }

  std::size_t size() const { return slots_.size(); }
  std::size_t slot_size_bytes() const { return memory_.bytes().size() / slots_.size(); }
  // The memory of each slot, lent or not.
  std::vector<std::span<const std::byte>> slot_memory() const;

 private:
  void put(Slot* slot) override;
  bool any_free() const { return lent_ < slots_.size() || !older_.empty() || recent_count_ > 0; }
  Slot* take_oldest_recent();
  Slot* take();
  // Faults the slot in if it is new; called outside the lock because that is slow.
  Batch ready(Slot* slot);

  HugeMemory memory_;
  std::vector<Slot> slots_;
  const std::size_t reuse_depth_;  // how many later-returned slots are passed over
  // Held for a few steps only, however many slots and threads there are.
  alignas(64) mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t lent_ = 0;  // how many slots, counted from the first, were lent at least once
  // Returned slots that are not lent: the latest in a circular buffer, the others on a stack.
  std::vector<Slot*> recent_;
  std::size_t first_recent_ = 0;
  std::size_t recent_count_ = 0;  // at most the reuse depth
  std::vector<Slot*> older_;
  std::size_t waiting_ = 0;
  bool closed_ = false;
};

}  // namespace loadline
