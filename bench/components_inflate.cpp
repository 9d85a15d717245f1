// open_dataset() on published, compressed IDX files: reads, checks and inflates them into memory, on one thread.
#include <fmt/format.h>

#include <cstdio>

#include "bench/components.h"
#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"

namespace loadline::bench {
namespace {

void inflate(benchmark::State& state, const std::filesystem::path& directory) {
  std::size_t samples = 0;
  std::size_t bytes = 0;
  for (auto pass : state) {
    (void)pass;
    const auto dataset = open_dataset(directory, {.format = "idx"});
    samples += dataset->info().samples;
    bytes += dataset->info().samples * dataset->info().sample_bytes();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(samples));
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

}  // namespace

void add_inflate_rows(Rows& rows, const ComponentOptions& options) {
  const auto images = options.fashion_mnist / "train-images-idx3-ubyte.gz";
  std::error_code ignored;
  if (!std::filesystem::exists(images, ignored)) {
    fmt::print(stderr, "inflate/idx is left out: {} does not exist (--fashion-mnist DIR)\n", images.string());
    return;
  }
  rows.add("inflate/idx", [directory = options.fashion_mnist](benchmark::State& state) { inflate(state, directory); })
      ->Iterations(1)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace loadline::bench
