// VolumeTransform::apply() for each CPU level: the three kinds of rotation separately, on a crop that stays in the
// cache, and on crops at random places of a volume that does not, written past the caches or through them.
#include <fmt/format.h>

#include <vector>

#include "bench/components.h"
#include "loaders/random.h"
#include "loaders/system/memory.h"
#include "loaders/transforms/volume_transform.h"

namespace loadline::bench {
namespace {

constexpr std::size_t kEdge = 64;
constexpr std::size_t kChannels = 4;

struct Turning {
  std::string_view name;
  Rotation rotation;
};

constexpr std::array kTurnings{
    Turning{"rows", {{0, 1, 2}, {false, false, false}}}, Turning{"rows-reversed", {{0, 1, 2}, {true, false, true}}},
    Turning{"tiles", {{1, 2, 0}, {false, false, false}}}, Turning{"tiles-far", {{2, 0, 1}, {false, false, false}}}};

void turn(benchmark::State& state, const Rotation& rotation, const Kernels& kernels, Stores stores,
          std::size_t volume_edge) {
  const VolumeTransform transform({.edge = kEdge}, kernels);
  const std::size_t values = volume_edge * volume_edge * volume_edge;
  HugeMemory volume(kChannels * values * sizeof(float));
  auto* first = reinterpret_cast<float*>(volume.bytes().data());
  for (std::size_t i = 0; i < kChannels * values; ++i) first[i] = static_cast<float>(i % 1000);
  // Slots rotate, so that the written memory is not in the cache.
  constexpr std::size_t kSlots = 16;
  const std::size_t slot_bytes = kChannels * transform.channel_bytes();
  HugeMemory out(kSlots * slot_bytes);
  const auto edge = static_cast<std::ptrdiff_t>(volume_edge);
  Random random(1);
  std::size_t slot = 0;
  for (auto pass : state) {
    (void)pass;
    const auto at = [&] { return random.below(static_cast<std::uint32_t>(volume_edge - kEdge + 1)); };
    const std::size_t x = at(), y = at(), z = at();
    const VolumeView crop{.first = first + (x * volume_edge + y) * volume_edge + z,
                          .channels = kChannels,
                          .channel_stride = static_cast<std::ptrdiff_t>(values),
                          .stride = {edge * edge, edge}};
    const std::size_t place = volume_edge == kEdge ? 0 : slot++ % kSlots;
    transform.apply(crop, rotation, {}, out.bytes().data() + place * slot_bytes, stores);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(slot_bytes));
}

}  // namespace

void add_volume_rows(Rows& rows) {
  for (const Turning& turning : kTurnings) {
    for (const Kernels* kernels : supported_kernels()) {
      rows.add(fmt::format("volume/{}/near/{}", turning.name, kernels->name),
               [turning, kernels](benchmark::State& state) {
                 turn(state, turning.rotation, *kernels, Stores::kCached, kEdge);
               })
          ->UseRealTime();
      for (const Stores stores : {Stores::kCached, Stores::kStreaming}) {
        if (stores == Stores::kStreaming && !kernels->has_streaming) continue;
        rows.add(fmt::format("volume/{}/far/{}/{}", turning.name, name(stores), kernels->name),
                 [turning, kernels, stores](benchmark::State& state) {
                   turn(state, turning.rotation, *kernels, stores, 4 * kEdge);
                 })
            ->UseRealTime();
      }
    }
  }
}

}  // namespace loadline::bench
