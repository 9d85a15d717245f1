// Assembles batches sample by sample, as storage answers.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "loaders/batch_pool.h"
#include "loaders/datasets/dataset.h"
#include "loaders/delivery_ring.h"
#include "loaders/sampler.h"
#include "loaders/worker_clock.h"

namespace loadline {

// Requests the samples of coming batches from storage, across batches and epochs, as far as requests, memory and the
// plan allow; a batch needs no slot for that. Workers fetch samples that have arrived. A worker that finds none waits
// for storage; when an answer comes, another thread takes over the waiting, so decoding never leaves storage
// unattended.
//
// In the sampler's order, batches get slots in sequence: the batch that the consumer waits for has one, so no order
// of events can starve it. In order of completion, a batch gets a slot when all its samples have arrived, or earlier
// while half of the slots are free, so that no slot is held just for waiting. Every batch with a slot, except the
// last one, then has all its samples requested and can finish without further help.
class ReadAhead {
 public:
  // Borrows stream, pool and ring.
  ReadAhead(std::unique_ptr<SampleArrivals> arrivals, BatchStream& stream, BatchPool& pool, const DeliveryRing& ring,
            std::size_t batch_size, bool in_order);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead() = default;

 private:
  struct Planned;

 public:
  // A sample that a worker is assembling: place `at` of the slot.
  struct Piece {
    Planned* batch = nullptr;
    std::size_t at = 0;
    std::size_t place = 0;
  };

  // Waits for the next sample to assemble. nullopt at the end of the stream, and once closed. The clock is then in
  // kRead and in that batch. Throws Error if storage stops answering. Any thread.
  std::optional<Piece> next(WorkerClock& clock);
  // Its stored bytes, valid until finish(). Throws Error like SampleArrivals::stored().
  StoredSample stored(const Piece& piece) { return arrivals_->stored(piece.place); }
  Slot& slot_of(const Piece& piece) const;

  struct Outcome {
    bool kept = true;
    std::exception_ptr failure = nullptr;
    Stores stores = Stores::kCached;
  };
  // Reports the outcome of the sample. Returns the batch if this was its last sample, with the failure of the first
  // sample that failed. Any thread.
  Batch finish(const Piece& piece, const Outcome& outcome);

  // Wakes all waiting threads; from now on next() returns nullopt.
  void close();

 private:
  struct Arrived {
    std::uint32_t at;
    std::uint32_t place;
  };
  struct Planned {
    bool in_use = false;
    Slot plan;             // the batch as the stream planned it
    bool slotted = false;  // it has, or had, a slot
    Batch slot;            // until the batch is whole
    std::size_t asked = 0;
    std::size_t taken = 0;  // how many of `arrived` workers took
    std::size_t assembled = 0;
    std::size_t first_failed = 0;
    std::exception_ptr failure;
    std::vector<SampleIndex> indices;
    std::vector<Arrived> arrived;
    std::vector<std::uint8_t> kept;
  };

  Planned& planned(std::uint64_t sequence) { return planned_[sequence % planned_.size()]; }
  bool plan_next(WorkerClock& clock);
  void ask_ahead(WorkerClock& clock);
  void collect();
  Planned* with_work();
  Planned* wants_slot();
  bool give_slot(std::unique_lock<std::mutex>& lock, WorkerClock& clock);
  void wait(std::unique_lock<std::mutex>& lock, WorkerClock& clock);
  template <typename Wait>
  void watch(std::unique_lock<std::mutex>& lock, bool& watching, const Wait& wait_for_it);
  WorkerStage stage_of_waiting() const;
  static void leave_out_skipped(Planned& batch, Slot& slot);

  const std::unique_ptr<SampleArrivals> arrivals_;
  BatchStream& stream_;
  BatchPool& pool_;
  const DeliveryRing& ring_;
  const std::size_t batch_size_;
  const bool in_order_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Planned> planned_;     // a batch's place is its sequence number modulo their number
  std::vector<Planned*> slotted_;    // those with a slot, in the order they got it
  std::uint64_t next_sequence_ = 0;  // the batch to plan next
  std::uint64_t oldest_ = 0;         // batches before it are published, or about to be
  std::uint64_t unslotted_ = 0;      // batches before it have, or had, slots
  std::size_t samples_waiting_ = 0;  // arrived for batches without a slot
  bool plan_full_ = false;
  bool ended_ = false;            // the stream
  bool acquiring_ = false;        // a thread is getting a slot
  bool watches_storage_ = false;  // a thread waits for storage, on behalf of all
  bool watches_slots_ = false;    // a thread waits for a slot to be returned, on behalf of all
  std::size_t others_waiting_ = 0;
  bool closed_ = false;
};

}  // namespace loadline
