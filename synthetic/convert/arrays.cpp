// Writes plain arrays of pixels or voxels: IDX, CIFAR and NumPy.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/datasets/datasets.h"
#include "loaders/datasets/image_extents.h"
#include "loaders/datasets/volume.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"
#include "loaders/storage/npy.h"
#include "loaders/storage/zip_writer.h"
#include "synthetic/convert/writers.h"

namespace loadline {
namespace {

std::string shape_text(const ImageShape& shape) {
  return fmt::format("{} x {} x {}", shape.channels, shape.height, shape.width);
}

std::string big_endian(std::size_t value) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(value >> shift & 0xffU);
  return bytes;
}

std::byte label_byte(std::int32_t label) {
  return static_cast<std::byte>(label);
}

// Why no reader could tell which extents of an array are which; empty if one can.
std::string image_array_obstacle(const ImageShape& shape) {
  if (shape.channels > kMostChannels) {
    return fmt::format("images of 1 to {} channels only, these have {}", kMostChannels, shape.channels);
  }
  if (shape.channels == 1 || shape.width > kMostChannels) return "";
  return fmt::format(
      "images of several channels only if they are wider than {} pixels, these are {}: nothing would tell channels "
      "from width",
      kMostChannels, shape_text(shape));
}

// Writes an array to anything that takes bytes.
template <typename Out>
void write_image_array(const ConvertJob& job, Out& out) {
  const DatasetInfo& info = job.from.info();
  const auto [channels, height, width] = info.shape;
  std::vector<std::uint64_t> extents{info.samples, channels, height, width};
  // Readers could take a width below 5 for channels that come last.
  if (channels == 1) extents = {info.samples, height, width};
  out.write(npy_header(extents, "|u1"));
  stream_pixels(job, [&](std::span<const std::byte> samples) { out.write(samples); });
}

template <typename Out>
void write_label_array(const ConvertJob& job, Out& out) {
  out.write(npy_header(std::array<std::uint64_t, 1>{job.from.info().samples}, "<i4"));
  const auto values = job.from.labels().all();
  out.write(std::as_bytes(std::span(values)));
}

void write_npy_images(const ConvertJob& job) {
  AtomicFile images(job.to / "images.npy");
  write_image_array(job, images);
  images.commit();
  AtomicFile labels(job.to / "labels.npy");
  write_label_array(job, labels);
  labels.commit();
}

// The labels of the one file of CIFAR-100 that `from` was opened from. Throws Error if it has changed its size since.
std::vector<std::int32_t> cifar100_labels(const Dataset& from, LabelKind kind) {
  const auto file = open_dataset(from.info().files.front(), {.format = "cifar100", .labels = kind});
  if (file->info().samples != from.info().samples) {
    throw Error(fmt::format("cannot read {}: it had {} samples when it was opened and now has {}",
                            from.info().files.front().string(), from.info().samples, file->info().samples));
  }
  return file->checked_labels(from.info().samples);
}

}  // namespace

std::string idx_obstacle(const Dataset& from) {
  const DatasetInfo& info = from.info();
  if (!info.labelled()) return "plain images only";
  if (!info.encoded && info.shape.channels != 1)
    return fmt::format("samples of one channel only, these have {}", info.shape.channels);
  if (info.classes > 256) return fmt::format("at most 256 classes, these have {}", info.classes);
  return "";
}

void write_idx(const ConvertJob& job) {
  const DatasetInfo& info = job.from.info();
  AtomicFile images(job.to / "train-images-idx3-ubyte");
  images.write(std::string{'\0', '\0', '\x08', '\x03'} + big_endian(info.samples) + big_endian(info.shape.height) +
               big_endian(info.shape.width));
  stream_pixels(job, [&](std::span<const std::byte> samples) { images.write(samples); });
  images.commit();
  std::vector<std::byte> bytes;
  std::ranges::transform(job.from.labels(), std::back_inserter(bytes), label_byte);
  AtomicFile labels(job.to / "train-labels-idx1-ubyte");
  labels.write(std::string{'\0', '\0', '\x08', '\x01'} + big_endian(info.samples));
  labels.write(bytes);
  labels.commit();
}

std::string cifar10_obstacle(const Dataset& from) {
  const DatasetInfo& info = from.info();
  if (!info.labelled()) return "plain images only";
  if (!info.encoded && info.shape != ImageShape{3, 32, 32}) {
    return fmt::format("samples of 3 x 32 x 32 only, these are {}", shape_text(info.shape));
  }
  if (info.classes > 10) return fmt::format("at most 10 classes, these have {}", info.classes);
  return "";
}

void write_cifar10(const ConvertJob& job) {
  constexpr std::size_t kBatchRecords = 10'000;  // as published
  const std::size_t sample_bytes = job.from.info().sample_bytes();
  const Labels& labels = job.from.labels();
  std::size_t next = 0;
  std::unique_ptr<AtomicFile> file;
  std::vector<std::byte> record(1 + sample_bytes);
  std::vector<std::byte> records;
  const auto flush = [&] {
    if (file) file->write(records);
    records.clear();
  };
  stream_pixels(job, [&](std::span<const std::byte> samples) {
    for (; !samples.empty(); samples = samples.subspan(sample_bytes), ++next) {
      if (next % kBatchRecords == 0) {
        flush();
        if (file) file->commit();
        file = std::make_unique<AtomicFile>(job.to / fmt::format("data_batch_{}.bin", next / kBatchRecords + 1));
      }
      record[0] = label_byte(labels[next]);
      std::ranges::copy(samples.first(sample_bytes), record.begin() + 1);
      records.insert(records.end(), record.begin(), record.end());
    }
    flush();
  });
  file->commit();
}

std::string cifar100_obstacle(const Dataset& from) {
  constexpr std::size_t kFineClasses = 100;
  const DatasetInfo& info = from.info();
  if (info.format != "cifar100") return "samples with a fine and a coarse label only, which only cifar100 has";
  return info.classes == kFineClasses ? "" : "both labels of each sample; leave out --labels coarse";
}

void write_cifar100(const ConvertJob& job) {
  const std::size_t sample_bytes = job.from.info().sample_bytes();
  const Labels& fine = job.from.labels();
  const auto coarse = cifar100_labels(job.from, LabelKind::kCoarse);
  AtomicFile file(job.to / "train.bin");
  std::size_t next = 0;
  std::vector<std::byte> records;
  stream_pixels(job, [&](std::span<const std::byte> samples) {
    records.clear();
    for (; !samples.empty(); samples = samples.subspan(sample_bytes), ++next) {
      records.push_back(label_byte(coarse[next]));
      records.push_back(label_byte(fine[next]));
      const auto pixels = samples.first(sample_bytes);
      records.insert(records.end(), pixels.begin(), pixels.end());
    }
    file.write(records);
  });
  file.commit();
}

std::optional<bool> has_both_labels_of(const Dataset& there, const Dataset& from, const ConvertOptions& options,
                                       const std::stop_token& stop) {
  const auto same = has_content_of(there, from, options, stop);
  if (!same || !*same) return same;
  return cifar100_labels(there, LabelKind::kCoarse) == cifar100_labels(from, LabelKind::kCoarse);
}

std::string npy_obstacle(const Dataset& from) {
  const DatasetInfo& info = from.info();
  if (info.tokens || info.text) return "plain images or a volume";
  return info.labelled() && !info.encoded ? image_array_obstacle(info.shape) : "";
}

std::string npz_obstacle(const Dataset& from) {
  return from.info().labelled() ? npy_obstacle(from) : "plain images only";
}

void write_npz(const ConvertJob& job) {
  ZipWriter archive(*job.file);
  archive.begin("images.npy");
  write_image_array(job, archive);
  archive.begin("labels.npy");
  write_label_array(job, archive);
  archive.finish();
}

void write_npy(const ConvertJob& job) {
  if (!job.from.info().volume) return write_npy_images(job);
  const VolumeShape& shape = *job.from.info().volume;
  std::unique_ptr<AtomicFile> file;
  stream_planes(job, [&](Field field, std::size_t channel, std::size_t x, StoredSample plane) {
    if (channel == 0 && x == 0) {
      if (file) file->commit();
      file = std::make_unique<AtomicFile>(job.to / fmt::format("{}.npy", name(field)));
      file->write(npy_header(extents_of(shape, field)));
    }
    file->write(plane);
  });
  file->commit();
}

}  // namespace loadline
