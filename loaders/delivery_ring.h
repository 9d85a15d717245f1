// The ring that finished slots are delivered through.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "loaders/batch_pool.h"

namespace loadline {

// Holds finished slots for the one consumer. Positions count from 0. Any thread publishes each position once, in any
// order; the consumer takes them in order.
class DeliveryRing {
 public:
  // For the slots of `pool`. The consumer spins for `patience` before it sleeps.
  DeliveryRing(const BatchPool& pool, std::chrono::nanoseconds patience);

  void publish(std::uint64_t position, Slot* slot);
  // Waits for the next position in order. Null once the ring is closed and that position was not published.
  Slot* take();
  // Waits up to `limit` until take() would not block; returns whether it reached that. The consumer's thread.
  bool wait(std::chrono::nanoseconds limit);
  // How many were published and not taken, including those after a missing position. The consumer's thread.
  std::size_t ready() const;
  // How many were taken. Any thread.
  std::uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  // How many were published. Any thread.
  std::uint64_t published() const { return published_.load(std::memory_order_relaxed); }
  // Wakes the consumer. Slots published before can still be taken. Any thread; may be called more than once.
  void close();

 private:
  // On its own cache line: different threads publish neighbouring cells.
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
  // Each of these cache lines is written by one side and read now and then by the other.
  alignas(64) std::uint64_t next_ = 0;            // the consumer's
  std::atomic<std::uint64_t> taken_{0};           // next_, for the producers to see
  std::atomic<std::uint64_t> awaited_{kNothing};  // position that the consumer sleeps for
  alignas(64) std::atomic<std::uint64_t> published_{0};
  alignas(64) std::mutex mutex_;
  std::condition_variable wake_;
};

}  // namespace loadline
