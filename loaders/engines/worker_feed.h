// Shared by loaders with worker threads: everything except which thread makes which batch.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/batch_pool.h"
#include "loaders/delivery_ring.h"
#include "loaders/engines/read_ahead.h"
#include "loaders/loader.h"
#include "loaders/sampler.h"
#include "loaders/store_choice.h"
#include "loaders/worker_clock.h"

namespace loadline {

// A worker takes a slot, then the next batch of the stream, fills the slot and publishes it; the consumer takes
// positions in order. Because the slot comes first, the batches in progress are always the earliest undelivered ones:
// the batch that the consumer waits for has its slot, and no order of events can starve it.
//
// If the feed reads ahead, workers make samples instead of batches: each takes a sample that has arrived, assembles
// it, and publishes the batch if that was its last sample.
//
// A position is the batch's sequence number or, in order of completion, the next free number when the batch is done.
//
// A slot belongs to the worker from when it takes it until it publishes the batch, or, if the feed reads ahead, to
// ReadAhead, whose workers fill places of it side by side; then to the ring, and from next() on to the consumer, whose
// batch returns it to the pool.
//
// A derived class decides which thread makes which batch. Its part of the contract:
// - Each worker makes batches until there are no more. If all stop earlier, the stream ends there, without an error.
// - No worker waits for another's batch. That happens if a thread that waits inside one batch takes over the turn of
//   another worker, which may have to wait for a slot.
class WorkerFeed : public Feed {
 public:
  Batch next() final;
  bool wait(std::chrono::nanoseconds limit) final { return ring_.wait(limit); }
  std::optional<std::size_t> ready() const final { return ring_.ready(); }
  std::vector<WorkerTimes> worker_times() const final;
  bool settling() const final { return !reads_ahead() && stores_.settling(); }
  std::vector<std::span<const std::byte>> slot_memory() const final { return pool_.slot_memory(); }
  void close() final;

 protected:
  // Whether to read samples ahead of their batches if storage serves several requests at once.
  enum class Reading : std::uint8_t { kByBatch, kAhead };

  // Allocates all slots (BatchPool says when they are faulted in), and makes each worker's filler. `kind` names it in
  // messages. Throws usage Error for numbers of workers and batches that cannot be met.
  WorkerFeed(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler, const LoaderOptions& options,
             Reading reading = Reading::kByBatch);

  // One worker's own state.
  struct Worker {
    Worker(WorkerLog* log, std::span<const std::size_t> its_cpus)
        : clock(log), cpus(its_cpus.begin(), its_cpus.end()) {}

    WorkerClock clock;
    std::unique_ptr<Filler> filler;               // null if samples are read ahead
    std::unique_ptr<SampleFiller> sample_filler;  // null if they are not
    std::optional<ReadAhead::Piece> piece;        // the sample it is assembling
    Batch whole;                                  // finished, to be delivered
    std::vector<SampleIndex> coming;              // of a batch whose samples it requests
    bool storage_reads = false;                   // whether its last requests and reads reached storage
    const std::vector<std::size_t> cpus;          // where it may run; empty: wherever the process may
  };

  // Starts a thread for each worker, which runs `work` with it. The threads must end before the feed: a derived class
  // declares them as its last member and calls close() in its destructor. An exception in a thread, or a CPU that it
  // may not run on, reaches the consumer in place of the worker's next batch. Throws Error if a thread is refused;
  // those already started have then ended.
  std::vector<std::jthread> start(const std::function<void(Worker&)>& work);

  // Waits for a slot and makes the next batch. Publishes a failed batch with its failure. False at the end of the
  // stream, and once closed. Any thread, but only one at a time per worker; workers do not wait for each other here.
  // Allocates no more than Filler::fill() does.
  bool make_batch(Worker& worker);

  bool reads_ahead() const { return ahead_ != nullptr; }
  // These three replace make_batch() if samples are read ahead; threads as there. A failure reaches the consumer.
  // Waits for the next sample. False like make_batch().
  bool read_sample(Worker& worker) noexcept;
  // Assembles the sample that read_sample() found; returns whether this completed its batch.
  bool decode_sample(Worker& worker) noexcept;
  // Publishes the batch that decode_sample() completed.
  void deliver_whole(Worker& worker) noexcept;

 private:
  void run(const std::function<void(Worker&)>& work, Worker& worker);
  template <typename Fill>
  bool deliver(WorkerClock& clock, const Fill& fill);
  void fill(Worker& worker, Slot& slot);
  void fill_fetching(Worker& worker, Slot& slot);
  void fill_by(Filler& filler, Slot& slot);
  void ask_ahead(Worker& worker, std::uint64_t sequence);
  void ask_for(Worker& worker, const Slot& coming);
  void publish(Batch batch);
  // Delivers this failure to the consumer after everything published.
  void fail(std::exception_ptr why);

  const bool in_order_;
  BatchStream stream_;
  BatchPool pool_;
  DeliveryRing ring_;
  StoreChoice stores_;                         // of batches; for samples read ahead they are fixed
  std::unique_ptr<ReadAhead> ahead_;           // null: batch by batch
  std::unique_ptr<PagesAhead> pages_;          // null if samples are not mapped
  bool fetches_ = false;                       // whether samples that are not mapped are fetched ahead
  std::size_t batches_ahead_ = 0;              // how many batches ahead samples are requested
  std::atomic<std::uint64_t> next_to_ask_{0};  // sequence number
  std::mutex failing_;
  std::exception_ptr failure_;  // a failure outside any batch
  std::atomic<bool> closed_{false};
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<std::size_t> working_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace loadline
