// Writes HDF5 files.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/volume.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/storage/hdf5_writer.h"
#include "synthetic/convert/writers.h"

namespace loadline {
namespace {

void write_volume(const ConvertJob& job, Hdf5Writer& writer) {
  const VolumeShape& shape = *job.from.info().volume;
  stream_planes(job, [&](Field field, std::size_t channel, std::size_t x, StoredSample plane) {
    if (channel == 0 && x == 0) {
      writer.begin(std::string(name(field)), extents_of(shape, field), {.element = Hdf5Element::kF32});
    }
    writer.write_box(std::array<std::uint64_t, 4>{channel, x, 0, 0},
                     std::array<std::uint64_t, 4>{1, 1, shape.edge, shape.edge}, plane);
  });
}

// Encoded samples of any size, back to back, and where each begins.
void write_packed(const ConvertJob& job, Hdf5Writer& writer) {
  const std::size_t samples = job.from.info().samples;
  // Sizes are known only after reading, so samples are read twice.
  std::vector<std::uint64_t> offsets{0};
  job.from.visit([&](StoredSample sample) {
    offsets.push_back(offsets.back() + sample.size());
    return !job.stop.stop_requested();
  });
  if (offsets.size() <= samples) throw conversion_interrupted(job.shown);
  writer.begin(std::string(kPackedBytes), std::array{offsets.back()}, {});
  std::size_t done = 0;
  const bool complete = job.from.visit([&](StoredSample sample) {
    if (sample.size() != offsets[done + 1] - offsets[done]) {
      throw Error(
          fmt::format("cannot convert {}: it changed meanwhile", job.from.describe(static_cast<SampleIndex>(done))));
    }
    writer.append(sample);
    if (++done % 64 == 0 && job.progress) job.progress(done, samples);
    return !job.stop.stop_requested();
  });
  if (!complete) throw conversion_interrupted(job.shown);
  writer.write_offsets(std::string(kPackedOffsets), offsets);
  writer.write_labels(DatasetOptions{}.hdf5_labels, job.from.labels().all(), job.from.info().classes);
}

}  // namespace

std::string hdf5_obstacle(const Dataset& from) {
  const DatasetInfo& info = from.info();
  return info.tokens ? "images and volumes, not tokens" : info.text ? "images and volumes, not text" : "";
}

std::array<std::uint64_t, 4> extents_of(const VolumeShape& shape, Field field) {
  return {channels_of(shape, field), shape.edge, shape.edge, shape.edge};
}

void write_hdf5(const ConvertJob& job) {
  const DatasetInfo& info = job.from.info();
  if (info.volume || info.encoded) {
    Hdf5Writer writer(job.to, job.shown);
    info.volume ? write_volume(job, writer) : write_packed(job, writer);
    return writer.close();
  }
  const std::array<std::uint64_t, 4> extents{info.samples, info.shape.channels, info.shape.height, info.shape.width};
  const DatasetOptions names;  // the names that a reader looks for by default
  Hdf5Writer writer(job.to, job.shown);
  writer.begin(names.hdf5_images, extents,
               {.chunk_rows = job.options.chunk_samples, .gzip_level = static_cast<int>(job.options.gzip_level)});
  stream_pixels(job, [&](std::span<const std::byte> samples) { writer.append(samples); });
  writer.write_labels(names.hdf5_labels, job.from.labels().all(), info.classes);
  writer.close();
}

}  // namespace loadline
