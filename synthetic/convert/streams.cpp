// Passes the samples of a dataset to the writers of formats.
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "loaders/datasets/volume.h"
#include "synthetic/convert/writers.h"

namespace loadline {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

}  // namespace

void stream_pixels(const ConvertJob& job, const ConsumePixels& consume) {
  const DatasetInfo& info = job.from.info();
  const std::size_t most = std::max<std::size_t>(kBlockBytes / info.sample_bytes(), 1) * info.sample_bytes();
  std::vector<std::byte> block;
  block.reserve(most);
  std::size_t done = 0;
  const auto flush = [&] {
    consume(block);
    done += block.size() / info.sample_bytes();
    block.clear();
    if (job.progress) job.progress(done, info.samples);
  };
  const bool complete = job.from.visit([&](StoredSample sample) {
    block.insert(block.end(), sample.begin(), sample.end());
    if (block.size() == most) flush();
    return !job.stop.stop_requested();
  });
  if (!complete) throw conversion_interrupted(job.shown);
  if (!block.empty()) flush();
}

void stream_planes(const ConvertJob& job, const ConsumePlanes& consume) {
  const VolumeShape& shape = *job.from.info().volume;
  const std::size_t planes = shape.channels() * shape.edge;
  std::size_t next = 0;
  const bool complete = job.from.visit([&](StoredSample plane) {
    const std::size_t channel = next / shape.edge;
    const bool input = channel < shape.input_channels;
    consume(input ? Field::kInput : Field::kTarget, input ? channel : channel - shape.input_channels, next % shape.edge,
            plane);
    ++next;
    if (job.progress) job.progress(next, planes);
    return !job.stop.stop_requested();
  });
  if (!complete) throw conversion_interrupted(job.shown);
}

}  // namespace loadline
