#include "loaders/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <thread>

#include "loaders/error.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

// Slots start on their own page: no line, and no page that the prefetchers of two cores share, is written by two.
constexpr std::size_t kSlotAlignment = 4096;
// A slot just given back is in the consumer's second-level cache, from which a worker on another core takes line by
// line with each store. Slots of this many bytes later it has gone on to the last level, which all reach faster: 64
// samples of 3 KB a batch went from 2.4 to 4.4 M samples/s with one worker. Many more would leave the last level as
// well.
constexpr std::size_t kReuseBytes = std::size_t{2} << 20;

// How far the consumer may fall behind before workers make way for it: nothing where a batch alone is more.
constexpr std::size_t kBacklogBytes = std::size_t{1} << 20;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits awake until `ready()`, for as long as that is likely to cost less than a sleep and a wake: a few microseconds
// where the waiting thread takes the core from one that has work, fifty where the core would idle and, if it is a
// virtual one, has to be started again. It does not yield: a thread that does so in a loop ranks behind all others for
// as many time slices afterwards (Linux 6.6 and later), and the consumer then starves.
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

std::size_t round_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

// Carves typed arrays off one block, in place of an allocation each.
template <typename T>
std::span<T> carve(std::span<std::byte>& block, std::size_t count) {
  T* first = reinterpret_cast<T*>(block.data());
  std::uninitialized_default_construct_n(first, count);  // touches nothing: the memory is zero
  block = block.subspan(round_up(count * sizeof(T), 64));
  return {first, count};
}

std::size_t bookkeeping_bytes(std::size_t batch_size) {
  return round_up(batch_size * sizeof(std::int32_t), 64) + round_up(batch_size * sizeof(SampleIndex), 64);
}

std::size_t slot_bytes(std::size_t batch_size, std::size_t sample_bytes) {
  return round_up(round_up(batch_size * sample_bytes, 64) + bookkeeping_bytes(batch_size), kSlotAlignment);
}

std::size_t pool_bytes(std::size_t slots, std::size_t batch_size, std::size_t sample_bytes) {
  // In floating point, which does not wrap; far above any memory and far below 2^64, so that its rounding is no matter.
  constexpr double kMostBytes = 0x1p56;
  const double samples = static_cast<double>(slots) * static_cast<double>(batch_size);
  if (samples * static_cast<double>(sample_bytes) + static_cast<double>(slots) * kSlotAlignment > kMostBytes) {
    throw Error(fmt::format("cannot allocate {} slots for {} samples of {} bytes: that is more than any memory", slots,
                            batch_size, sample_bytes));
  }
  return slots * slot_bytes(batch_size, sample_bytes);
}

}  // namespace

BatchPool::BatchPool(std::size_t slots, std::size_t batch_size, std::size_t sample_bytes,
                     std::span<const std::size_t> nodes)
    : memory_(pool_bytes(slots, batch_size, sample_bytes), Faults::kLater, nodes),
      slots_(slots),
      reuse_depth_(kReuseBytes / slot_bytes(batch_size, sample_bytes)) {
  older_.reserve(slots);
  recent_.resize(std::min(reuse_depth_, slots));
  auto block = memory_.bytes();
  for (Slot& slot : slots_) {
    auto rest = block.first(slot_bytes(batch_size, sample_bytes));
    block = block.subspan(rest.size());
    slot.data = carve<std::byte>(rest, batch_size * sample_bytes);
    slot.labels = carve<std::int32_t>(rest, batch_size);
    slot.indices = carve<SampleIndex>(rest, batch_size);
    slot.sample_bytes = sample_bytes;
  }
}

std::vector<std::span<const std::byte>> BatchPool::slot_memory() const {
  std::vector<std::span<const std::byte>> memory;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    memory.push_back(memory_.bytes().subspan(i * slot_size_bytes(), slot_size_bytes()));
  }
  return memory;
}

Slot* BatchPool::take() {
  if (lent_ < slots_.size()) return &slots_[lent_++];
  if (older_.empty()) return take_oldest_recent();
  Slot* slot = older_.back();
  older_.pop_back();
  return slot;
}

Slot* BatchPool::take_oldest_recent() {
  Slot* slot = recent_[first_recent_];
  first_recent_ = (first_recent_ + 1) % recent_.size();
  --recent_count_;
  return slot;
}

Batch BatchPool::ready(Slot* slot) {
  if (slot != nullptr && !slot->faulted_in) {
    const auto index = static_cast<std::size_t>(slot - slots_.data());
    const InStage storing(WorkerStage::kTransform);
    fault_in(memory_.bytes().subspan(index * slot_size_bytes(), slot_size_bytes()));
    slot->faulted_in = true;
  }
  return adopt(slot);
}

Batch BatchPool::acquire() {
  Slot* slot = nullptr;
  {
    std::unique_lock lock(mutex_);
    ++waiting_;
    freed_.wait(lock, [this] { return closed_ || any_free(); });
    --waiting_;
    if (!closed_) slot = take();
  }
  return ready(slot);
}

Batch BatchPool::try_acquire() {
  Slot* slot = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!closed_ && any_free()) slot = take();
  }
  return ready(slot);
}

void BatchPool::put(Slot* slot) {
  bool anyone = false;
  {
    const std::lock_guard lock(mutex_);
    slot->failure = nullptr;
    if (recent_.empty()) {
      older_.push_back(slot);
    } else {
      if (recent_count_ == recent_.size()) older_.push_back(take_oldest_recent());
      recent_[(first_recent_ + recent_count_++) % recent_.size()] = slot;
    }
    anyone = waiting_ > 0;
  }
  if (anyone) freed_.notify_one();
}

void BatchPool::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  freed_.notify_all();
}

DeliveryRing::DeliveryRing(const BatchPool& pool, std::chrono::nanoseconds patience)
    : cells_(std::bit_ceil(pool.size())),
      mask_(cells_.size() - 1),
      patience_(patience),
      tolerated_backlog_((kBacklogBytes + pool.slot_size_bytes() / 2) / pool.slot_size_bytes()) {}

void DeliveryRing::publish(std::uint64_t position, Slot* slot) {
  // Sequentially consistent, here and where the consumer falls asleep: either it sees this slot before it sleeps, or
  // this thread sees what it sleeps for. It is not woken for any other.
  cells_[position & mask_].slot.store(slot);
  if (awaited_.load() == position) {
    { const std::lock_guard lock(mutex_); }
    wake_.notify_one();
  }
  // A consumer that has fallen behind may be waiting for this very core. Letting it run first keeps few batches waiting
  // and those in the cache: with two workers on two cores, f32 batches of 6 MiB went from 1.8 to 2.7 M samples/s.
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
  spin_until(nothing_to_wait_for, std::min(patience_, limit));
  if (nothing_to_wait_for()) return true;
  std::unique_lock lock(mutex_);
  awaited_.store(next_);
  const bool came = wake_.wait_for(lock, limit, nothing_to_wait_for);
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
