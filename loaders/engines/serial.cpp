#include <atomic>

#include "loaders/batch_pool.h"
#include "loaders/engines/engines.h"
#include "loaders/error.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

// Has no thread: next() assembles on the caller's thread.
class SerialFeed final : public Feed {
 public:
  SerialFeed(const Assembler& assembler, const Sampler& sampler, std::size_t slots, const LoaderOptions& options)
      : clock_(options.logs.empty() ? nullptr : &options.logs.front()),
        filler_(assembler.make_filler(sampler.batch_size())),
        stream_(sampler, options.stream),
        pool_(slots, sampler.batch_size(), assembler.sample_bytes(), options.slot_nodes) {}

  Batch next() override {
    if (closed_.load(std::memory_order_relaxed)) return {};
    const WorkingOn working(clock_);
    const InStage order(WorkerStage::kOrder);
    Batch batch = pool_.try_acquire();
    if (!batch) throw Error("serial loader: the consumer holds more batches than it announced");
    try {
      if (!stream_.next(*batch)) return {};
      clock_.begin_batch(batch->sequence);
      const InStage transform(WorkerStage::kTransform);
      // The consumer is the same thread.
      filler_->fill(*batch, Stores::kCached);
    } catch (...) {
      close();
      throw;
    }
    return batch;
  }

  std::vector<WorkerTimes> worker_times() const override {
    WorkerTimes times = clock_.now();
    times.thread = this_thread_id();
    return {times};
  }

  std::vector<std::span<const std::byte>> slot_memory() const override { return pool_.slot_memory(); }

  void close() override { closed_.store(true, std::memory_order_relaxed); }

 private:
  WorkerClock clock_;
  std::unique_ptr<Filler> filler_;
  BatchStream stream_;
  BatchPool pool_;
  std::atomic<bool> closed_{false};
};

}  // namespace

std::unique_ptr<Feed> make_serial(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                                  const LoaderOptions& options) {
  const std::size_t slots = slots_of(kind, options);
  return std::make_unique<SerialFeed>(assembler, sampler, slots, options);
}

}  // namespace loadline
