#include "loaders/engines/worker_feed.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

#include "loaders/error.h"
#include "loaders/storage/affinity.h"

namespace loadline {
namespace {

// A consumer with a core to spare may wait awake on it.
std::chrono::nanoseconds patience(const LoaderOptions& options) {
  return std::chrono::microseconds(options.workers < options.threads_in_force ? 200 : 2);
}

std::size_t checked_slots(const LoaderKind& kind, const LoaderOptions& options) {
  if (options.workers == 0 || options.workers > kMostWorkers) {
    throw usage_error(fmt::format("workers {}: {} wants 1 to {}", options.workers, kind.name, kMostWorkers));
  }
  if (options.prefetch == 0) throw usage_error(fmt::format("prefetch 0: {} wants at least 1 batch", kind.name));
  return slots_of(kind, options);
}

}  // namespace

WorkerFeed::WorkerFeed(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                       const LoaderOptions& options)
    : in_order_(options.in_order),
      cpus_(options.cpus),
      stream_(sampler, options.stream),
      pool_(checked_slots(kind, options), sampler.batch_size(), assembler.sample_bytes()),
      ring_(pool_, patience(options)),
      working_(options.workers) {
  fillers_.reserve(options.workers);
  for (std::size_t i = 0; i < options.workers; ++i) {
    fillers_.push_back(assembler.make_filler(sampler.batch_size(), options.stores));
  }
}

Batch WorkerFeed::next() {
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

void WorkerFeed::close() {
  closed_.store(true, std::memory_order_relaxed);
  pool_.close();
  ring_.close();
}

std::vector<std::jthread> WorkerFeed::start(const std::function<void(Filler&)>& work) {
  std::vector<std::jthread> threads;
  threads.reserve(fillers_.size());
  try {
    for (const auto& filler : fillers_) {
      threads.emplace_back([this, work, &filler = *filler] { run(work, filler); });
    }
  } catch (const std::system_error& error) {
    close();
    throw Error(fmt::format("cannot start worker thread {} of {}: {}", threads.size() + 1, fillers_.size(),
                            error.code().message()));
  } catch (...) {
    close();  // or those started would wait for slots, and their joining for them
    throw;
  }
  return threads;
}

void WorkerFeed::run(const std::function<void(Filler&)>& work, Filler& filler) {
  try {
    const PinnedThread pinned(cpus_);
    work(filler);
  } catch (...) {
    // Nobody but the consumer can do anything about it.
    deliver([why = std::current_exception()](Slot& /*slot*/) { std::rethrow_exception(why); });
  }
  // The last worker to find the stream at its end closes the ring behind the last batch.
  if (working_.fetch_sub(1) == 1) ring_.close();
}

bool WorkerFeed::make_batch(Filler& filler) {
  return deliver([&](Slot& slot) { filler.fill(slot); });
}

template <typename Fill>
bool WorkerFeed::deliver(const Fill& fill) {
  Batch batch = pool_.acquire();
  if (!batch || !stream_.next(*batch)) return false;
  try {
    fill(*batch);
  } catch (...) {
    batch->failure = std::current_exception();
  }
  publish(std::move(batch));
  // After the publication, so that no batch waits for a shuffle.
  stream_.prepare_next();
  return true;
}

void WorkerFeed::publish(Batch batch) {
  // Acquire and release: this worker sees that the consumer has emptied the cell one round before, as the workers did
  // that were lent the slots in between.
  const std::uint64_t position = in_order_ ? batch->sequence : completed_.fetch_add(1, std::memory_order_acq_rel);
  ring_.publish(position, pool_.release(std::move(batch)));
}

}  // namespace loadline
