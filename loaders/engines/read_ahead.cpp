#include "loaders/engines/read_ahead.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace loadline {
namespace {

// Planned samples beyond those of batches with slots. Storage with a long tail needs as many as it delivers during
// the slowest read; this is more.
constexpr std::size_t kPlannedSamples = 4096;

// How long to wait for storage before checking for a free slot or a closed feed.
constexpr auto kLookForSlots = std::chrono::milliseconds(1);
constexpr auto kLookForClose = std::chrono::milliseconds(50);

}  // namespace

ReadAhead::ReadAhead(std::unique_ptr<SampleArrivals> arrivals, BatchStream& stream, BatchPool& pool,
                     const DeliveryRing& ring, std::size_t batch_size, bool in_order)
    : arrivals_(std::move(arrivals)),
      stream_(stream),
      pool_(pool),
      ring_(ring),
      batch_size_(batch_size),
      in_order_(in_order),
      planned_(pool.size() + kPlannedSamples / batch_size + 1) {
  slotted_.reserve(pool.size());
  for (Planned& batch : planned_) {
    batch.indices.resize(batch_size);
    batch.arrived.reserve(batch_size);
    batch.kept.resize(batch_size);
    batch.plan.indices = batch.indices;
  }
}

Slot& ReadAhead::slot_of(const Piece& piece) const {
  return *piece.batch->slot;
}

bool ReadAhead::plan_next(WorkerClock& clock) {
  Planned& batch = planned(next_sequence_);
  plan_full_ = batch.in_use;
  if (ended_ || plan_full_) return false;
  clock.enter(WorkerStage::kOrder);
  ended_ = !stream_.next(batch.plan);
  if (ended_) {
    clock.enter(WorkerStage::kRead);
    return false;
  }
  clock.begin_batch(batch.plan.sequence);
  clock.enter(WorkerStage::kRead);
  batch.in_use = true;
  batch.slotted = false;
  batch.asked = batch.taken = batch.assembled = 0;
  batch.first_failed = batch.plan.count;
  batch.failure = nullptr;
  batch.arrived.clear();
  ++next_sequence_;
  return true;
}

void ReadAhead::ask_ahead(WorkerClock& clock) {
  for (;;) {
    if (next_sequence_ == 0 && !plan_next(clock)) return;
    Planned* batch = &planned(next_sequence_ - 1);
    if (batch->asked == batch->plan.count || !batch->in_use) {
      if (!plan_next(clock)) return;
      batch = &planned(next_sequence_ - 1);
    }
    const std::size_t first_ticket = static_cast<std::size_t>(batch - planned_.data()) * batch_size_;
    for (; batch->asked < batch->plan.count; ++batch->asked) {
      if (!arrivals_->ask(batch->indices[batch->asked], first_ticket + batch->asked)) return;
    }
  }
}

void ReadAhead::collect() {
  while (const auto one = arrivals_->arrived()) {
    Planned& batch = planned_[one->ticket / batch_size_];
    batch.arrived.push_back(
        {.at = static_cast<std::uint32_t>(one->ticket % batch_size_), .place = static_cast<std::uint32_t>(one->place)});
    if (!batch.slotted) ++samples_waiting_;
  }
}

ReadAhead::Planned* ReadAhead::with_work() {
  const auto found =
      std::ranges::find_if(slotted_, [](const Planned* one) { return one->taken < one->arrived.size(); });
  return found == slotted_.end() ? nullptr : *found;
}

// The batch to get the next slot, if any; one without arrivals only if later batches wait for it.
ReadAhead::Planned* ReadAhead::wants_slot() {
  if (samples_waiting_ == 0) return nullptr;
  while (
      unslotted_ < next_sequence_ &&
      (planned(unslotted_).slotted || planned(unslotted_).plan.sequence != unslotted_ || !planned(unslotted_).in_use)) {
    ++unslotted_;
  }
  if (in_order_) return &planned(unslotted_);
  Planned* first = nullptr;
  for (std::uint64_t i = unslotted_; i < next_sequence_; ++i) {
    Planned& batch = planned(i);
    if (!batch.in_use || batch.slotted || batch.arrived.empty()) continue;
    if (batch.arrived.size() == batch.plan.count) return &batch;
    if (first == nullptr) first = &batch;
  }
  // If nothing more can be requested, waiting for whole batches may last for ever.
  const bool stuck = arrivals_->in_flight() == 0 || arrivals_->window_full() || plan_full_;
  return stuck || 2 * pool_.free_slots() > pool_.size() ? first : nullptr;
}

bool ReadAhead::give_slot(std::unique_lock<std::mutex>& lock, WorkerClock& clock) {
  if (acquiring_) return false;
  Planned* batch = wants_slot();
  if (batch == nullptr || pool_.free_slots() == 0) return false;
  // One at a time, or a later batch might get the last slot; unlocked, because the first use of a slot takes long.
  acquiring_ = true;
  lock.unlock();
  Batch slot;
  {
    clock.enter(WorkerStage::kSlotWait);
    slot = pool_.try_acquire();
    clock.enter(WorkerStage::kRead);
  }
  lock.lock();
  acquiring_ = false;
  if (!slot) return false;
  const Slot& plan = batch->plan;
  std::ranges::copy(plan.indices.first(plan.count), slot->indices.begin());
  slot->count = plan.count;
  slot->sequence = plan.sequence;
  slot->epoch = plan.epoch;
  slot->target_bytes = 0;
  batch->slot = std::move(slot);
  batch->slotted = true;
  samples_waiting_ -= batch->arrived.size();
  slotted_.push_back(batch);
  return true;
}

// Waits unlocked, on behalf of all.
template <typename Wait>
void ReadAhead::watch(std::unique_lock<std::mutex>& lock, bool& watching, const Wait& wait_for_it) {
  watching = true;
  lock.unlock();
  std::exception_ptr failure;
  try {
    wait_for_it();
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  watching = false;
  if (failure) std::rethrow_exception(failure);
}

// The stage if arrived samples wait for slots: either the consumer holds some, or a late read delays all of them.
WorkerStage ReadAhead::stage_of_waiting() const {
  if (samples_waiting_ == 0 || pool_.free_slots() > 0) return WorkerStage::kRead;
  const bool consumer_waits = ring_.taken() == (in_order_ ? oldest_ : ring_.published());
  return consumer_waits && arrivals_->in_flight() > 0 ? WorkerStage::kWindowWait : WorkerStage::kSlotWait;
}

void ReadAhead::wait(std::unique_lock<std::mutex>& lock, WorkerClock& clock) {
  clock.enter(stage_of_waiting());
  // Not only for answers: the end of a request that was answered long ago may be what allows the next one.
  const bool for_storage = arrivals_->busy();
  const bool for_slot = samples_waiting_ > 0 && !acquiring_;
  if (for_storage && !watches_storage_) {
    watch(lock, watches_storage_, [&] { arrivals_->wait(for_slot ? kLookForSlots : kLookForClose); });
  } else if (!for_storage && for_slot && !watches_slots_) {
    watch(lock, watches_slots_, [&] { pool_.wait_for_free(); });
  } else {
    ++others_waiting_;
    changed_.wait(lock);
    --others_waiting_;
  }
  clock.enter(WorkerStage::kRead);
}

std::optional<ReadAhead::Piece> ReadAhead::next(WorkerClock& clock) {
  clock.enter(WorkerStage::kRead);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (closed_) break;
    if (!watches_storage_) collect();
    ask_ahead(clock);
    if (Planned* batch = with_work()) {
      const Arrived one = batch->arrived[batch->taken++];
      clock.begin_batch(batch->plan.sequence);
      clock.set_reads_in_flight(arrivals_->in_flight());
      // From now on another thread waits for storage, or takes other arrivals.
      if (others_waiting_ > 0) changed_.notify_one();
      return Piece{.batch = batch, .at = one.at, .place = one.place};
    }
    if (ended_ && oldest_ == next_sequence_) break;
    if (!give_slot(lock, clock)) wait(lock, clock);
  }
  changed_.notify_all();
  clock.end_batch();
  return std::nullopt;
}

void ReadAhead::leave_out_skipped(Planned& batch, Slot& slot) {
  std::size_t good = 0;
  for (std::size_t i = 0; i < slot.count; ++i) {
    if (batch.kept[i] == 0) continue;
    if (good < i) {
      std::memcpy(slot.data.data() + good * slot.sample_bytes, slot.data.data() + i * slot.sample_bytes,
                  slot.sample_bytes);
      slot.labels[good] = slot.labels[i];
      slot.indices[good] = slot.indices[i];
    }
    ++good;
  }
  slot.count = good;
}

Batch ReadAhead::finish(const Piece& piece, const Outcome& outcome) {
  Planned& batch = *piece.batch;
  std::unique_lock lock(mutex_);
  arrivals_->give_back(piece.place);
  batch.kept[piece.at] = outcome.kept ? 1 : 0;
  if (outcome.failure && piece.at < batch.first_failed) {
    batch.first_failed = piece.at;
    batch.failure = outcome.failure;
  }
  if (++batch.assembled < batch.plan.count) return {};
  std::erase(slotted_, &batch);
  lock.unlock();
  // All samples are done: no other thread uses the batch.
  Batch done = std::move(batch.slot);
  done->stores = outcome.stores;
  done->failure = std::exchange(batch.failure, nullptr);
  if (!done->failure) leave_out_skipped(batch, *done);
  lock.lock();
  batch.in_use = false;
  while (oldest_ < next_sequence_ && !planned(oldest_).in_use) ++oldest_;
  if (ended_ && oldest_ == next_sequence_) changed_.notify_all();
  return done;
}

void ReadAhead::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

}  // namespace loadline
