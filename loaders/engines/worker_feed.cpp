#include "loaders/engines/worker_feed.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

#include "loaders/error.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

// A consumer with a spare core may spin on it.
std::chrono::nanoseconds patience(const LoaderOptions& options) {
  return std::chrono::microseconds(options.workers < options.threads_in_force ? 200 : 2);
}

// Enough samples to keep storage busy while workers make others.
std::size_t batches_asked_ahead(std::size_t batch_size) {
  constexpr std::size_t kSamples = 1024;
  return std::max<std::size_t>(2, (kSamples + batch_size - 1) / batch_size);
}

std::optional<Stores> fixed_stores(const Assembler& assembler, const LoaderOptions& options) {
  if (options.stores || assembler.stores_matter()) return options.stores;
  return Stores::kCached;
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
                       const LoaderOptions& options, Reading reading)
    : in_order_(options.in_order),
      stream_(sampler, options.stream),
      pool_(checked_slots(kind, options), sampler.batch_size(), assembler.sample_bytes(), options.slot_nodes),
      ring_(pool_, patience(options)),
      stores_(fixed_stores(assembler, options), options.workers, std::chrono::steady_clock::now()),
      working_(options.workers) {
  workers_.reserve(options.workers);
  for (std::size_t i = 0; i < options.workers; ++i) {
    const auto& own = options.cpus_of_worker;
    workers_.push_back(std::make_unique<Worker>(options.logs.empty() ? nullptr : &options.logs[i],
                                                own.empty() ? options.cpus : own[i % own.size()]));
    if (reading == Reading::kByBatch) continue;
    workers_.back()->sample_filler = assembler.make_sample_filler(options.stores.value_or(Stores::kCached));
  }
  if (workers_.front()->sample_filler) {
    if (auto arrivals = assembler.dataset().make_arrivals()) {
      ahead_ = std::make_unique<ReadAhead>(std::move(arrivals), stream_, pool_, ring_, sampler.batch_size(), in_order_);
      return;
    }
  }
  for (const auto& worker : workers_) worker->filler = assembler.make_filler(sampler.batch_size());
  fetches_ = workers_.front()->filler->can_fetch();
  auto files = assembler.dataset().mapped_files();
  if (files.empty() && !fetches_) return;
  if (fetches_) {
    // About the next batch of each worker.
    batches_ahead_ = workers_.size();
  } else {
    const auto start = seem_cached(files) ? PagesAhead::Start::kWhenMissing : PagesAhead::Start::kAtOnce;
    pages_ =
        std::make_unique<PagesAhead>(std::move(files), options.memory_bytes.value_or(machine_memory_bytes()), start);
    batches_ahead_ = batches_asked_ahead(sampler.batch_size());
  }
  for (const auto& worker : workers_) worker->coming.resize(sampler.batch_size());
}

std::vector<WorkerTimes> WorkerFeed::worker_times() const {
  std::vector<WorkerTimes> times;
  times.reserve(workers_.size());
  for (const auto& worker : workers_) times.push_back(worker->clock.now());
  return times;
}

Batch WorkerFeed::next() {
  if (closed_.load(std::memory_order_relaxed)) return {};
  Slot* slot = ring_.take();
  if (slot == nullptr) {
    std::exception_ptr failure;
    {
      const std::lock_guard lock(failing_);
      failure = std::exchange(failure_, nullptr);
    }
    if (!failure) return {};
    // Otherwise a batch in progress could follow the failure.
    close();
    std::rethrow_exception(failure);
  }
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
  if (ahead_) ahead_->close();
}

void WorkerFeed::fail(std::exception_ptr why) {
  {
    const std::lock_guard lock(failing_);
    if (!failure_) failure_ = std::move(why);
  }
  ahead_->close();
  ring_.close();
}

std::vector<std::jthread> WorkerFeed::start(const std::function<void(Worker&)>& work) {
  std::vector<std::jthread> threads;
  threads.reserve(workers_.size());
  try {
    for (const auto& worker : workers_) {
      threads.emplace_back([this, work, &worker = *worker] { run(work, worker); });
    }
  } catch (const std::system_error& error) {
    close();
    throw Error(fmt::format("cannot start worker thread {} of {}: {}", threads.size() + 1, workers_.size(),
                            error.code().message()));
  } catch (...) {
    close();  // otherwise the started threads would wait for slots, and joining them would never end
    throw;
  }
  return threads;
}

void WorkerFeed::run(const std::function<void(Worker&)>& work, Worker& worker) {
  worker.clock.belong_to_this_thread();
  std::exception_ptr why;
  try {
    const PinnedThread pinned(worker.cpus);
    work(worker);
  } catch (...) {
    why = std::current_exception();
  }
  // Only the consumer can act on it, and it gets the failure then.
  if (why && ahead_) {
    fail(std::move(why));
  } else if (why) {
    deliver(worker.clock, [&why](Slot& /*slot*/) { std::rethrow_exception(std::exchange(why, nullptr)); });
  }
  worker.clock.enter(WorkerStage::kIdle);
  // The last worker that finds the stream at its end closes the ring after the last batch.
  if (working_.fetch_sub(1) == 1) ring_.close();
}

bool WorkerFeed::make_batch(Worker& worker) {
  return deliver(worker.clock, [&](Slot& slot) { fill(worker, slot); });
}

void WorkerFeed::fill(Worker& worker, Slot& slot) {
  if (fetches_) return fill_fetching(worker, slot);
  if (!pages_) return fill_by(*worker.filler, slot);
  if (!pages_->all_asked()) ask_ahead(worker, slot.sequence);
  const std::size_t waited = pages_waited_for();
  const std::size_t samples = slot.count;
  fill_by(*worker.filler, slot);
  pages_->note_missing(pages_waited_for() - waited, samples);
}

void WorkerFeed::fill_by(Filler& filler, Slot& slot) {
  filler.fill(slot, stores_.next());
  stores_.learn(std::chrono::steady_clock::now(), slot.count);
}

// Does not request cached files ahead: that would open each file once more.
void WorkerFeed::fill_fetching(Worker& worker, Slot& slot) {
  const std::size_t before = blocks_read();
  if (worker.storage_reads) ask_ahead(worker, slot.sequence);
  fill_by(*worker.filler, slot);
  worker.storage_reads = blocks_read() != before;
}

// Each worker requests as many batches as it makes, except for the first ones, starting with its own.
void WorkerFeed::ask_ahead(Worker& worker, std::uint64_t sequence) {
  const InStage reading(WorkerStage::kRead);
  Slot coming{};
  coming.indices = worker.coming;
  std::uint64_t next = next_to_ask_.load(std::memory_order_relaxed);
  while (next <= sequence + batches_ahead_) {
    // Requests may begin late, when earlier batches are made already. A reader requests the files of its own batch by
    // itself.
    const std::uint64_t mine = std::max(next, fetches_ ? sequence + 1 : sequence);
    if (!next_to_ask_.compare_exchange_weak(next, mine + 1, std::memory_order_relaxed)) continue;
    if (stream_.look_at(mine, coming)) ask_for(worker, coming);
    next = next_to_ask_.load(std::memory_order_relaxed);
  }
}

void WorkerFeed::ask_for(Worker& worker, const Slot& coming) {
  const auto indices = coming.indices.first(coming.count);
  if (!pages_) return worker.filler->fetch(indices);
  worker.filler->ask_for(coming.epoch, indices, *pages_);
  pages_->ask_for_others(coming.count);
}

template <typename Fill>
bool WorkerFeed::deliver(WorkerClock& clock, const Fill& fill) {
  const WorkingOn working(clock);
  clock.enter(WorkerStage::kSlotWait);
  Batch batch = pool_.acquire();
  clock.enter(WorkerStage::kOrder);
  if (!batch) return false;
  try {
    if (!stream_.next(*batch)) return false;
    clock.begin_batch(batch->sequence);
    clock.enter(WorkerStage::kTransform);
    fill(*batch);
  } catch (...) {
    batch->failure = std::current_exception();
  }
  clock.enter(WorkerStage::kHandOver);
  publish(std::move(batch));
  clock.enter(WorkerStage::kOrder);
  clock.end_batch();
  // After the publication, so that no batch waits for a shuffle.
  stream_.prepare_next();
  return true;
}

bool WorkerFeed::read_sample(Worker& worker) noexcept {
  const WorkingOn working(worker.clock);
  try {
    worker.piece = ahead_->next(worker.clock);
  } catch (...) {
    worker.piece.reset();
    fail(std::current_exception());
  }
  return worker.piece.has_value();
}

bool WorkerFeed::decode_sample(Worker& worker) noexcept {
  const WorkingOn working(worker.clock);
  ReadAhead::Outcome outcome{.stores = worker.sample_filler->stores()};
  try {
    const StoredSample stored = ahead_->stored(*worker.piece);
    count_read_bytes(stored.size());
    worker.clock.enter(WorkerStage::kTransform);
    outcome.kept = worker.sample_filler->fill(ahead_->slot_of(*worker.piece), worker.piece->at, stored);
  } catch (...) {
    outcome.failure = std::current_exception();
  }
  worker.clock.enter(WorkerStage::kRead);
  worker.whole = ahead_->finish(*worker.piece, outcome);
  return worker.whole != nullptr;
}

void WorkerFeed::deliver_whole(Worker& worker) noexcept {
  const WorkingOn working(worker.clock);
  worker.clock.enter(WorkerStage::kHandOver);
  publish(std::move(worker.whole));
  worker.clock.enter(WorkerStage::kOrder);
  worker.clock.end_batch();
  stream_.prepare_next();
}

void WorkerFeed::publish(Batch batch) {
  // Acquire and release: this worker sees that the consumer has emptied the cell one round before, as did the workers
  // that were lent the slots in between.
  const std::uint64_t position = in_order_ ? batch->sequence : completed_.fetch_add(1, std::memory_order_acq_rel);
  ring_.publish(position, pool_.release(std::move(batch)));
}

}  // namespace loadline
