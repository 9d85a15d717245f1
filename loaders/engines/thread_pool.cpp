#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "loaders/engines/engines.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// A consumer with a core to spare may wait awake on it.
std::chrono::nanoseconds patience(const LoaderOptions& options) {
  return std::chrono::microseconds(options.workers < options.threads_in_force ? 200 : 2);
}

// Each worker takes a slot, then the next batch of the stream, fills it and publishes it; the consumer takes positions
// in turn. Because the slot comes first, the batches in the making are always the earliest ones not yet delivered: the
// one the consumer waits for has its slot, and no order of events can starve it.
//
// A position is the batch's own sequence number or, in order of completion, the next number to be had when it is done.
class ThreadPoolFeed final : public Feed {
 public:
  ThreadPoolFeed(const Assembler& assembler, const Sampler& sampler, std::size_t slots, const LoaderOptions& options)
      : in_order_(options.in_order),
        stream_(sampler, options.stream),
        pool_(slots, sampler.batch_size(), assembler.sample_bytes()),
        ring_(pool_, patience(options)),
        working_(options.workers) {
    fillers_.reserve(options.workers);
    for (std::size_t i = 0; i < options.workers; ++i) {
      fillers_.push_back(assembler.make_filler(sampler.batch_size(), options.stores));
    }
    start(options.workers);
  }

  ~ThreadPoolFeed() override { close(); }

  Batch next() override {
    if (closed_.load(std::memory_order_relaxed)) return {};
    Slot* slot = ring_.take();
    if (slot == nullptr) return {};
    Batch batch = pool_.adopt(slot);
    if (slot->failure) {
      const std::exception_ptr failure = slot->failure;
      close();
      std::rethrow_exception(failure);
    }
    return batch;
  }

  void close() override {
    closed_.store(true, std::memory_order_relaxed);
    pool_.close();
    ring_.close();
  }

 private:
  void start(std::size_t workers) {
    threads_.reserve(workers);
    try {
      for (std::size_t i = 0; i < workers; ++i) threads_.emplace_back([this, i] { work(*fillers_[i]); });
    } catch (const std::system_error& error) {
      close();
      throw Error(
          fmt::format("cannot start worker thread {} of {}: {}", threads_.size() + 1, workers, error.code().message()));
    }
  }

  void work(Filler& filler) {
    while (Batch batch = pool_.acquire()) {
      if (!stream_.next(*batch)) break;
      try {
        filler.fill(*batch);
      } catch (...) {
        batch->failure = std::current_exception();
      }
      publish(std::move(batch));
      // After the publication, so that no batch waits for a shuffle.
      stream_.prepare_next();
    }
    // The last worker to find the stream at its end closes the ring behind the last batch.
    if (working_.fetch_sub(1) == 1) ring_.close();
  }

  void publish(Batch batch) {
    // Acquire and release: this worker sees that the consumer has emptied the cell one round before, as the workers did
    // that were lent the slots in between.
    const std::uint64_t position = in_order_ ? batch->sequence : completed_.fetch_add(1, std::memory_order_acq_rel);
    ring_.publish(position, pool_.release(std::move(batch)));
  }

  const bool in_order_;
  BatchStream stream_;
  BatchPool pool_;
  DeliveryRing ring_;
  std::atomic<bool> closed_{false};
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<std::size_t> working_;
  std::vector<std::unique_ptr<Filler>> fillers_;  // one a worker
  std::vector<std::jthread> threads_;             // last: joined before anything they use is gone
};

}  // namespace

std::unique_ptr<Feed> make_thread_pool(const Assembler& assembler, const Sampler& sampler,
                                       const LoaderOptions& options) {
  if (options.workers == 0 || options.workers > kMostWorkers) {
    throw usage_error(fmt::format("workers {}: thread-pool wants 1 to {}", options.workers, kMostWorkers));
  }
  if (options.prefetch == 0) throw usage_error("prefetch 0: thread-pool wants at least 1 batch");
  const std::size_t slots = slots_of(loader_named("thread-pool"), options);
  return std::make_unique<ThreadPoolFeed>(assembler, sampler, slots, options);
}

}  // namespace loadline
