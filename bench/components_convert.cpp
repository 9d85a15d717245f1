// ImageTransform::apply() on samples that stay in the first two cache levels, for each CPU level: what the fused
// kernels could do without a memory limit.
//   convert/...           conversion, normalisation and layout
//   convert/augmented/... and before that a random crop and flip
//   convert/channels-last/..., convert/channels-last/augmented/...   the same of samples stored with channels last
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/components.h"
#include "loaders/random.h"
#include "loaders/transforms/image_transform.h"

namespace loadline::bench {
namespace {

constexpr ImageShape kShape{.channels = 3, .height = 32, .width = 32};
constexpr std::size_t kSamples = 8;  // 24 KiB stored, at most 96 KiB converted
constexpr std::size_t kEpochs = 64;  // enough for every crop and flip: a CPU would learn those of a few samples

void convert(benchmark::State& state, const TransformOptions& options, const Kernels& kernels, Layout stored_layout) {
  const ImageTransform transform(kShape, options, kernels, stored_layout);
  std::vector<std::byte> stored(kSamples * kShape.elements());
  Random random(1);
  for (std::byte& byte : stored) byte = static_cast<std::byte>(random.below(256));
  std::vector<std::byte> out(kSamples * transform.sample_bytes());
  std::uint64_t epoch = 0;
  for (auto pass : state) {
    (void)pass;
    epoch = (epoch + 1) % kEpochs;
    for (std::size_t i = 0; i < kSamples; ++i) {
      const auto index = static_cast<SampleIndex>(i);
      transform.apply(stored.data() + i * kShape.elements(), epoch, index, out.data() + i * transform.sample_bytes());
    }
    benchmark::ClobberMemory();
  }
  const auto samples = static_cast<std::int64_t>(kSamples) * state.iterations();
  state.SetItemsProcessed(samples);
  state.SetBytesProcessed(samples * static_cast<std::int64_t>(transform.sample_bytes()));
}

}  // namespace

void add_convert_rows(Rows& rows) {
  for (const DType dtype : {DType::kU8, DType::kF32, DType::kBF16}) {
    for (const Layout layout : {Layout::kNCHW, Layout::kNHWC}) {
      TransformOptions options{.dtype = dtype, .layout = layout};
      if (dtype != DType::kU8) {
        options.mean.assign(kShape.channels, 0.5);
        options.stddev.assign(kShape.channels, 0.25);
      }
      TransformOptions augmented = options;
      augmented.crop_padding = 4;
      augmented.flip = true;
      for (const Kernels* kernels : supported_kernels()) {
        const std::string row = fmt::format("{}/{}/{}", name(dtype), name(layout), kernels->name);
        for (const Layout stored : {Layout::kNCHW, Layout::kNHWC}) {
          const std::string group = stored == Layout::kNCHW ? "convert" : "convert/channels-last";
          rows.add(fmt::format("{}/{}", group, row),
                   [options, kernels, stored](benchmark::State& state) { convert(state, options, *kernels, stored); })
              ->UseRealTime();
          rows.add(fmt::format("{}/augmented/{}", group, row),
                   [augmented, kernels, stored](benchmark::State& state) {
                     convert(state, augmented, *kernels, stored);
                   })
              ->UseRealTime();
        }
      }
    }
  }
}

}  // namespace loadline::bench
