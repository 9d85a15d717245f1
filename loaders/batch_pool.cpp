#include "loaders/batch_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "loaders/error.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

// Slots start on their own page, so that no two threads write to one line, or to one page that the prefetchers of two
// cores share.
constexpr std::size_t kSlotAlignment = 4096;

std::size_t round_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

// Carves typed arrays off one block, instead of allocating each.
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

std::size_t pool_bytes(std::size_t slots, std::size_t batch_size, std::size_t sample_bytes) {
  // In floating point, which does not wrap. The limit is far above any memory and far below 2^64, so rounding does
  // not matter.
  constexpr double kMostBytes = 0x1p56;
  const double samples = static_cast<double>(slots) * static_cast<double>(batch_size);
  if (samples * static_cast<double>(sample_bytes) + static_cast<double>(slots) * kSlotAlignment > kMostBytes) {
    throw Error(
        fmt::format("cannot allocate {} slots for {} samples of {} bytes: that is more memory than any machine has",
                    slots, batch_size, sample_bytes));
  }
  return slots * BatchPool::slot_size_bytes(batch_size, sample_bytes);
}

}  // namespace

std::size_t BatchPool::slot_size_bytes(std::size_t batch_size, std::size_t sample_bytes) {
  return round_up(round_up(batch_size * sample_bytes, 64) + bookkeeping_bytes(batch_size), kSlotAlignment);
}

BatchPool::BatchPool(std::size_t slots, std::size_t batch_size, std::size_t sample_bytes,
                     std::span<const std::size_t> nodes)
    : memory_(pool_bytes(slots, batch_size, sample_bytes), Faults::kLater, nodes),
      slots_(slots),
      reuse_depth_(kReuseBytes / slot_size_bytes(batch_size, sample_bytes)) {
  older_.reserve(slots);
  recent_.resize(std::min(reuse_depth_, slots));
  auto block = memory_.bytes();
  for (Slot& slot : slots_) {
    auto rest = block.first(slot_size_bytes(batch_size, sample_bytes));
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

void BatchPool::wait_for_free() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  freed_.wait(lock, [this] { return closed_ || any_free(); });
  --waiting_;
}

std::size_t BatchPool::free_slots() const {
  const std::lock_guard lock(mutex_);
  return slots_.size() - lent_ + older_.size() + recent_count_;
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

}  // namespace loadline
