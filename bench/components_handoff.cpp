// What a batch costs beyond its samples.
//
//   handoff/ring                empty batches from a thread through BatchPool and DeliveryRing to this one, and home
//   handoff/ring/workers:<n>    the same from so many threads, which have nothing else to do. Counters: consumer_ns,
//   CPU
//                               time of the consumer a batch; process_ns, of all threads; oversubscribed, 1 where there
//                               are more threads than CPUs
//   handoff/<loader>            the whole of the loader around batches of one sample of one byte; with one worker,
//                               where it has any
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>
#include <thread>
#include <vector>

#include "bench/components.h"
#include "harness/machine/threads.h"
#include "loaders/batch_pool.h"
#include "loaders/datasets/strided.h"
#include "loaders/delivery_ring.h"
#include "loaders/error.h"
#include "loaders/loader.h"

namespace loadline::bench {
namespace {

// As many as a loader with one worker has by default: its own, eight ahead and the consumer's.
constexpr std::size_t kSlots = 10;
constexpr std::chrono::microseconds kPatience{50};
constexpr std::int64_t kBatches = 200'000;  // a repetition
constexpr std::size_t kWarmUpBatches = 1'000;

void hand_over_empty_batches(benchmark::State& state) {
  BatchPool pool(kSlots, 1, 1);
  DeliveryRing ring(pool, kPatience);
  const std::jthread producer([&pool, &ring] {
    for (std::uint64_t position = 0; Batch batch = pool.acquire(); ++position) {
      ring.publish(position, pool.release(std::move(batch)));
    }
  });
  const auto take_one = [&pool, &ring] { pool.adopt(ring.take()).reset(); };
  for (std::size_t i = 0; i < kWarmUpBatches; ++i) take_one();
  for (auto batch : state) {
    (void)batch;
    take_one();
  }
  state.SetItemsProcessed(state.iterations());
  pool.close();
}

double cpu_seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void hand_over_from_many(benchmark::State& state, std::size_t workers) {
  constexpr std::chrono::microseconds kBriefPatience{2};  // that of a loader whose workers use all CPUs
  BatchPool pool(workers + kSlots - 1, 1, 1);
  DeliveryRing ring(pool, workers < threads_in_force() ? kPatience : kBriefPatience);
  std::atomic<std::uint64_t> next{0};
  std::vector<std::jthread> producers;
  for (std::size_t i = 0; i < workers; ++i) {
    producers.emplace_back([&] {
      while (Batch batch = pool.acquire()) ring.publish(next.fetch_add(1), pool.release(std::move(batch)));
    });
  }
  const auto take_one = [&pool, &ring] { pool.adopt(ring.take()).reset(); };
  for (std::size_t i = 0; i < kWarmUpBatches; ++i) take_one();
  const double consumer = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
  const double process = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (auto batch : state) {
    (void)batch;
    take_one();
  }
  const auto batches = static_cast<double>(state.iterations());
  state.counters["consumer_ns"] = (cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - consumer) / batches * 1e9;
  state.counters["process_ns"] = (cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - process) / batches * 1e9;
  state.counters["oversubscribed"] = workers + 1 > threads_in_force() ? 1 : 0;
  state.SetItemsProcessed(state.iterations());
  pool.close();
}

std::unique_ptr<Dataset> bytes_for_samples(std::size_t samples) {
  DatasetInfo info{.format = "memory", .samples = samples, .shape = {1, 1, 1}, .classes = 1};
  return std::make_unique<StridedDataset>(std::move(info), std::vector<std::int32_t>(samples), HugeMemory(samples));
}

void pull_tiny_batches(benchmark::State& state, const LoaderKind& kind) {
  const auto dataset = bytes_for_samples(10'000);
  const ImageTransform transform(dataset->info().shape, {.dtype = DType::kU8}, kernels_named("auto"));
  const ImageAssembler assembler(*dataset, transform);
  // In sequence, because shuffling is a cost of samples and has rows of its own.
  const Sampler sampler({.samples = dataset->info().samples, .batch_size = 1, .order = Order::kSequential});
  const auto feed = kind.make(assembler, sampler, {.workers = 1});
  for (std::size_t i = 0; i < kWarmUpBatches; ++i) feed->next();
  for (auto batch : state) {
    (void)batch;
    if (!feed->next()) throw Error(fmt::format("loader {}: it ended early", kind.name));
  }
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

void add_hand_off_rows(Rows& rows) {
  rows.add("handoff/ring", hand_over_empty_batches)->Iterations(kBatches)->UseRealTime();
  constexpr std::int64_t kFewer = 50'000;  // a repetition
  for (std::size_t workers = 1; workers <= kMostMeasuredWorkers; workers *= 2) {
    rows.add(fmt::format("handoff/ring/workers:{}", workers),
             [workers](benchmark::State& state) { hand_over_from_many(state, workers); })
        ->Iterations(kFewer)
        ->UseRealTime();
  }
  for (const LoaderKind& kind : loaders()) {
    rows.add(fmt::format("handoff/{}", kind.name), [&kind](benchmark::State& state) { pull_tiny_batches(state, kind); })
        ->Iterations(kBatches)
        ->UseRealTime();
  }
}

}  // namespace loadline::bench
