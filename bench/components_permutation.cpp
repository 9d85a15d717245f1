// The cost of an epoch's order.
//
//   permutation/<order>/<samples>  Sampler::permute(): all of an epoch. `sequential` has none to compute
//   permutation/keyed/<samples>    Sampler::batch() of a large dataset, which computes each index by itself
//   order/<shuffle>/workers:<n>    BatchStream::next() by so many threads at a time, per batch of 64; and
//                                  prepare_next(). With more threads than there are CPUs, `oversubscribed` is 1
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/components.h"
#include "harness/machine/threads.h"
#include "loaders/batch.h"
#include "loaders/error.h"
#include "loaders/sampler.h"

namespace loadline::bench {
namespace {

constexpr std::array<std::pair<std::string_view, Order>, 2> kOrders{
    {{"shuffled", Order::kShuffled}, {"page-shuffled", Order::kPageShuffled}}};

void permute(benchmark::State& state, const SamplerOptions& options) {
  const Sampler sampler(options);
  std::vector<SampleIndex> permutation(sampler.permutation_size());
  std::uint64_t epoch = 0;
  for (auto pass : state) {
    (void)pass;
    sampler.permute(epoch++, permutation);
    benchmark::DoNotOptimize(permutation.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(permutation.size()));
}

void compute_by_key(benchmark::State& state, const SamplerOptions& options) {
  const Sampler sampler(options);
  std::vector<SampleIndex> batch(options.batch_size);
  std::size_t number = 0;
  for (auto pass : state) {
    (void)pass;
    sampler.batch(0, {}, number++ % sampler.batches_per_epoch(), batch);
    benchmark::DoNotOptimize(batch.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch.size()));
}

// A worker's part, in its own memory.
void draw_batches(BatchStream& stream, std::size_t batch_size, std::size_t count) {
  std::vector<SampleIndex> indices(batch_size);
  Slot slot;
  slot.indices = indices;
  for (std::size_t i = 0; i < count; ++i) {
    if (!stream.next(slot)) throw Error("an endless order ended");
    stream.prepare_next();
  }
}

void deal_to_workers(benchmark::State& state, const SamplerOptions& options, std::size_t workers) {
  constexpr std::size_t kBatches = 100'000;
  const Sampler sampler(options);
  for (auto pass : state) {
    (void)pass;
    BatchStream stream(sampler, {});
    const auto begin = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < workers; ++i) {
        threads.emplace_back([&] { draw_batches(stream, options.batch_size, kBatches / workers); });
      }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(took.count() / static_cast<double>(kBatches / workers * workers));
  }
  state.counters["oversubscribed"] = workers > threads_in_force() ? 1 : 0;
}

}  // namespace

void add_permutation_rows(Rows& rows) {
  for (const std::size_t samples : {std::size_t{10'000'000}, std::size_t{100'000'000}}) {
    const SamplerOptions options{.samples = samples, .batch_size = 512};
    rows.add(fmt::format("permutation/keyed/{}", samples),
             [options](benchmark::State& state) { compute_by_key(state, options); })
        ->UseRealTime();
  }
  for (const std::size_t samples : {std::size_t{50'000}, std::size_t{100'000'000}}) {
    const SamplerOptions options{.samples = samples, .batch_size = 64};
    for (std::size_t workers = 1; workers <= kMostMeasuredWorkers; workers *= 2) {
      rows.add(fmt::format("order/{}/workers:{}", samples > kMostShuffledInMemory ? "keyed" : "in-memory", workers),
               [options, workers](benchmark::State& state) { deal_to_workers(state, options, workers); })
          ->UseManualTime()
          ->Iterations(3);
    }
  }
  for (const auto& [name, order] : kOrders) {
    for (const std::size_t samples : {std::size_t{50'000}, std::size_t{1'000'000}}) {
      const SamplerOptions options{.samples = samples, .order = order};
      rows.add(fmt::format("permutation/{}/{}", name, samples),
               [options](benchmark::State& state) { permute(state, options); })
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace loadline::bench
