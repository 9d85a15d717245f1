// What loaders with worker threads have in common: all but who makes which batch on what thread.
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
#include "loaders/worker_clock.h"

namespace loadline {

// A worker takes a slot, then the next batch of the stream, fills it and publishes it; the consumer takes positions in
// turn. Because the slot comes first, the batches in the making are always the earliest ones not yet delivered: the one
// the consumer waits for has its slot, and no order of events can starve it.
//
// Where a feed reads ahead, workers make samples in place of batches: each takes one that has arrived, assembles it,
// and publishes the batch if that was its last sample.
//
// A position is the batch's own sequence number or, in order of completion, the next number to be had when it is done.
class WorkerFeed : public Feed {
 public:
  Batch next() final;
  bool wait(std::chrono::nanoseconds limit) final { return ring_.wait(limit); }
  std::optional<std::size_t> ready() const final { return ring_.ready(); }
  std::vector<WorkerTimes> worker_times() const final;
  std::vector<std::span<const std::byte>> slot_memory() const final { return pool_.slot_memory(); }
  void close() final;

 protected:
  // Whether to read samples ahead of their batches where storage serves several requests at once.
  enum class Reading : std::uint8_t { kByBatch, kAhead };

  // Allocates all slots (BatchPool says when they are faulted in), and makes each worker's filler. `kind` names it in
  // messages. Throws usage Error for numbers of workers and batches that cannot be met.
  WorkerFeed(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler, const LoaderOptions& options,
             Reading reading = Reading::kByBatch);

  // What a worker has for itself.
  struct Worker {
    Worker(WorkerLog* log, std::span<const std::size_t> its_cpus)
        : clock(log), cpus(its_cpus.begin(), its_cpus.end()) {}

    WorkerClock clock;
    std::unique_ptr<Filler> filler;               // null where samples are read ahead
    std::unique_ptr<SampleFiller> sample_filler;  // null elsewhere
    std::optional<ReadAhead::Piece> piece;        // that it has in hand
    Batch whole;                                  // that it has in hand, to be delivered
    std::vector<SampleIndex> coming;              // of a batch that it asks for
    bool storage_reads = false;                   // for what it asked for and read last
    const std::vector<std::size_t> cpus;          // that it may run on; empty: wherever the process may
  };

  // Starts a thread for each worker, which runs `work` with it. They must end before the feed does: a
  // derived class holds them last of all its members, and calls close() in its destructor. What one throws, and a CPU
  // that it may not run on, reaches the consumer in place of the worker's next batch. Throws Error when a thread is
  // refused; those started have then ended.
  std::vector<std::jthread> start(const std::function<void(Worker&)>& work);

  // Makes the next batch; waits for a slot. A batch that fails is published with its failure. False when
  // there is none to make: at the end of the stream, and once closed. Any thread, a worker by one at a time. Allocates
  // nothing beyond what Filler::fill() does.
  bool make_batch(Worker& worker);

  bool reads_ahead() const { return ahead_ != nullptr; }
  // In place of make_batch() where samples are read ahead, in turns. The next sample to come; waits. False as
  // make_batch().
  bool read_sample(Worker& worker) noexcept;
  // Returns whether its batch is whole.
  bool decode_sample(Worker& worker) noexcept;
  void deliver_whole(Worker& worker) noexcept;

 private:
  void run(const std::function<void(Worker&)>& work, Worker& worker);
  template <typename Fill>
  bool deliver(WorkerClock& clock, const Fill& fill);
  void fill(Worker& worker, Slot& slot);
  void fill_fetching(Worker& worker, Slot& slot);
  void ask_ahead(Worker& worker, std::uint64_t sequence);
  void ask_for(Worker& worker, const Slot& coming);
  void publish(Batch batch);
  // The consumer gets what is published, then this failure.
  void fail(std::exception_ptr why);

  const bool in_order_;
  BatchStream stream_;
  BatchPool pool_;
  DeliveryRing ring_;
  std::unique_ptr<ReadAhead> ahead_;           // null: batch by batch
  std::unique_ptr<PagesAhead> pages_;          // null where samples are not mapped
  bool fetches_ = false;                       // what is not mapped
  std::size_t batches_ahead_ = 0;              // that are asked for
  std::atomic<std::uint64_t> next_to_ask_{0};  // sequence number
  std::mutex failing_;
  std::exception_ptr failure_;  // of what is no batch's
  std::atomic<bool> closed_{false};
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<std::size_t> working_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace loadline
