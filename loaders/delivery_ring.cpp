#include "loaders/delivery_ring.h"

#include <algorithm>
#include <bit>
#include <thread>

namespace loadline {
namespace {

// How far the consumer may fall behind before workers yield to it; not at all if one batch is larger.
constexpr std::size_t kBacklogBytes = std::size_t{1} << 20;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins until `ready()`, for as long as that probably costs less than a sleep and a wake: a few microseconds if the
// waiting thread takes the core from one that has work, hundreds if the core would idle and, on a virtual machine, has
// to be started again. It does not yield: a thread that yields in a loop ranks behind all others for as many time
// slices afterwards (Linux 6.6 and later), and the consumer would starve.
template <typename Ready>
void spin_until(Ready ready, std::chrono::nanoseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    for (int i = 0; i < 8; ++i) {
      if (ready()) return;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() < end);
}

}  // namespace

DeliveryRing::DeliveryRing(const BatchPool& pool, std::chrono::nanoseconds patience)
    : cells_(std::bit_ceil(pool.size())),
      mask_(cells_.size() - 1),
      patience_(patience),
      tolerated_backlog_((kBacklogBytes + pool.slot_size_bytes() / 2) / pool.slot_size_bytes()) {}

void DeliveryRing::publish(std::uint64_t position, Slot* slot) {
  // Sequentially consistent, here and where the consumer falls asleep: either it sees this slot before it sleeps, or
  // this thread sees which slot it sleeps for. It is woken for no other slot.
  cells_[position & mask_].slot.store(slot);
  if (awaited_.load() == position) {
    { const std::lock_guard lock(mutex_); }
    wake_.notify_one();
  }
  // A consumer that has fallen behind may be waiting for this very core. Letting it run first keeps the waiting
  // batches few and in the cache: with two workers on two cores, f32 batches of 6 MiB went from 1.8 to 2.7 M
  // samples/s.
  const std::uint64_t published = published_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (published > taken_.load(std::memory_order_relaxed) + tolerated_backlog_) std::this_thread::yield();
}

Slot* DeliveryRing::take() {
  auto& cell = cells_[next_ & mask_].slot;
  const auto there = [&] { return cell.load(std::memory_order_acquire) != nullptr; };
  if (!there()) spin_until([&] { return there() || closed_.load(std::memory_order_acquire); }, patience_);
  Slot* slot = there() ? cell.load(std::memory_order_acquire) : sleep_until_published(cell);
  if (slot == nullptr) return nullptr;
  cell.store(nullptr, std::memory_order_relaxed);
  taken_.store(++next_, std::memory_order_relaxed);
  return slot;
}

Slot* DeliveryRing::sleep_until_published(const std::atomic<Slot*>& cell) {
  std::unique_lock lock(mutex_);
  awaited_.store(next_);
  wake_.wait(lock, [&] { return closed_.load() || cell.load() != nullptr; });
  awaited_.store(kNothing);
  return cell.load();
}

bool DeliveryRing::wait(std::chrono::nanoseconds limit) {
  const auto& cell = cells_[next_ & mask_].slot;
  const auto nothing_to_wait_for = [&] { return cell.load() != nullptr || closed_.load(); };
  const auto end = std::chrono::steady_clock::now() + limit;
  spin_until(nothing_to_wait_for, std::min(patience_, limit));
  if (nothing_to_wait_for()) return true;
  std::unique_lock lock(mutex_);
  awaited_.store(next_);
  const bool came = wake_.wait_until(lock, end, nothing_to_wait_for);
  awaited_.store(kNothing);
  return came;
}

std::size_t DeliveryRing::ready() const {
  // A slot can be taken a moment before it is counted as published.
  const std::uint64_t published = published_.load(std::memory_order_relaxed);
  return published > next_ ? static_cast<std::size_t>(published - next_) : 0;
}

void DeliveryRing::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_.store(true);
  }
  wake_.notify_one();
}

}  // namespace loadline
