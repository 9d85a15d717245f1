// Sampler::permute(): the order of one epoch. `sequential` has none to compute.
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/components.h"
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

}  // namespace

void add_permutation_rows(Rows& rows) {
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
