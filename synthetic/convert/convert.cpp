#include "synthetic/convert/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/formats.h"
#include "loaders/datasets/volume.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"
#include "loaders/storage/hdf5.h"
#include "loaders/storage/hdf5_writer.h"
#include "loaders/storage/npy.h"
#include "loaders/verify.h"
#include "synthetic/convert/writers.h"
#include "synthetic/generate/destination.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

// Passes all samples to `consume` in order, in blocks of whole samples.
void stream(const ConvertJob& job, const std::function<void(std::span<const std::byte>)>& consume) {
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

// Passes all planes of a volume to `consume`, in order.
void stream_planes(const ConvertJob& job,
                   const std::function<void(Field, std::size_t channel, std::size_t x, StoredSample)>& consume) {
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

std::string shape_text(const ImageShape& shape) {
  return fmt::format("{} x {} x {}", shape.channels, shape.height, shape.width);
}

std::string samples_text(std::uint64_t count) {
  return fmt::format("{} sample{}", count, count == 1 ? "" : "s");
}

std::string big_endian(std::size_t value) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(value >> shift & 0xffU);
  return bytes;
}

// ---- hdf5

std::string hdf5_obstacle(const Dataset& from) {
  const DatasetInfo& info = from.info();
  return info.tokens ? "images and volumes, not tokens" : info.text ? "images and volumes, not text" : "";
}

std::array<std::uint64_t, 4> extents_of(const VolumeShape& shape, Field field) {
  return {channels_of(shape, field), shape.edge, shape.edge, shape.edge};
}

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
  stream(job, [&](std::span<const std::byte> samples) { writer.append(samples); });
  writer.write_labels(names.hdf5_labels, job.from.labels().all(), info.classes);
  writer.close();
}

// ---- idx

// Images of one size, one byte per value.
bool are_plain(const DatasetInfo& info) {
  return !info.encoded && info.labelled();
}

std::string idx_obstacle(const Dataset& from) {
  const DatasetInfo& info = from.info();
  if (!info.labelled()) return "plain images only";
  if (!info.encoded && info.shape.channels != 1)
    return fmt::format("samples of one channel only, these have {}", info.shape.channels);
  if (info.classes > 256) return fmt::format("at most 256 classes, these have {}", info.classes);
  return "";
}

std::byte label_byte(std::int32_t label) {
  return static_cast<std::byte>(label);
}

void write_idx(const ConvertJob& job) {
  const DatasetInfo& info = job.from.info();
  AtomicFile images(job.to / "train-images-idx3-ubyte");
  images.write(std::string{'\0', '\0', '\x08', '\x03'} + big_endian(info.samples) + big_endian(info.shape.height) +
               big_endian(info.shape.width));
  stream(job, [&](std::span<const std::byte> samples) { images.write(samples); });
  images.commit();
  std::vector<std::byte> bytes;
  std::ranges::transform(job.from.labels(), std::back_inserter(bytes), label_byte);
  AtomicFile labels(job.to / "train-labels-idx1-ubyte");
  labels.write(std::string{'\0', '\0', '\x08', '\x01'} + big_endian(info.samples));
  labels.write(bytes);
  labels.commit();
}

// ---- cifar10

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
  stream(job, [&](std::span<const std::byte> samples) {
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

// ---- npy

// The images of one array, or the two fields of a volume.
std::string npy_obstacle(const Dataset& from) {
  const DatasetInfo& info = from.info();
  return info.tokens || info.text ? "plain images or a volume" : "";
}

void write_npy_images(const ConvertJob& job) {
  const DatasetInfo& info = job.from.info();
  const std::array<std::uint64_t, 4> extents{info.samples, info.shape.channels, info.shape.height, info.shape.width};
  AtomicFile images(job.to / "images.npy");
  images.write(npy_header(extents, "|u1"));
  stream(job, [&](std::span<const std::byte> samples) { images.write(samples); });
  images.commit();
  AtomicFile labels(job.to / "labels.npy");
  labels.write(npy_header(std::array<std::uint64_t, 1>{info.samples}, "<i4"));
  const auto values = job.from.labels().all();
  labels.write(std::as_bytes(std::span(values)));
  labels.commit();
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

constexpr std::array kFormats{
    ConvertFormat{"hdf5", "one HDF5 file, contiguous for mapping, or in chunks", "hdf5", false, true, hdf5_obstacle,
                  write_hdf5},
    ConvertFormat{"idx", "a directory of MNIST's IDX files", "idx", true, false, idx_obstacle, write_idx},
    ConvertFormat{"cifar10", "a directory of CIFAR-10 binary batches", "cifar10", true, false, cifar10_obstacle,
                  write_cifar10},
    ConvertFormat{"npy", "a directory of NumPy arrays: images and labels, or a volume's two fields", "npy", true, false,
                  npy_obstacle, write_npy},
    ConvertFormat{"jpeg", "a directory per class, a file per image: its encoded bytes, otherwise PNG", "image-folder",
                  true, true, folder_obstacle, write_folder},
    ConvertFormat{"webdataset", "a directory of tar shards with image and label of each sample", "webdataset", true,
                  true, encoded_obstacle, write_webdataset},
    ConvertFormat{"tfrecord", "a directory of TFRecord shards, one tf.train.Example per sample", "tfrecord", true, true,
                  encoded_obstacle, write_tfrecord},
    ConvertFormat{"tokens", "a directory of train.bin and train.idx, made from text by its tokenizer", "tokens", true,
                  false, tokens_obstacle, write_tokens},
};

void refuse_what_it_cannot_hold(const Dataset& from, const ConvertFormat& format) {
  if (const std::string why = format.obstacle(from); !why.empty()) {
    throw usage_error(fmt::format("cannot convert to {}: it holds {}", format.name, why));
  }
}

void check(const Dataset& from, const ConvertFormat& format, const ConvertOptions& options) {
  const DatasetInfo& info = from.info();
  refuse_what_it_cannot_hold(from, format);
  if ((options.chunk_samples || options.gzip_level != 0) && format.name != "hdf5") {
    throw usage_error(
        fmt::format("--chunk and --gzip: {} has neither chunks nor compression, only hdf5 does", format.name));
  }
  if (options.shard_bytes != ConvertOptions{}.shard_bytes && format.name != "webdataset" && format.name != "tfrecord") {
    throw usage_error(fmt::format("--shard: {} has no shards, only webdataset and tfrecord do", format.name));
  }
  if (options.gzip_level != 0 && !options.chunk_samples) {
    throw usage_error("--gzip: only chunks are compressed, give --chunk too");
  }
  if (options.gzip_level > 9) {
    throw usage_error(fmt::format("--gzip: want a level from 0 to 9, got {}", options.gzip_level));
  }
  if (options.chunk_samples && (info.encoded || info.volume)) {
    throw usage_error(fmt::format("--chunk: {} is written in one piece", info.volume ? "a volume" : "what is encoded"));
  }
  // A chunk has at most 2^32 - 1 bytes: "HDF5 File Format Specification", its layout message.
  if (options.chunk_samples && *options.chunk_samples > 0xffffffff / info.sample_bytes()) {
    throw usage_error(fmt::format("--chunk: {} samples of {} bytes are more than 4 GiB", *options.chunk_samples,
                                  info.sample_bytes()));
  }
}

// How the images of an HDF5 file are stored.
std::string storage_words(const fs::path& path) {
  if (has_hdf5_dataset(path, std::string(kPackedBytes))) return "that of packed images";
  const Hdf5Dataset images(path, DatasetOptions{}.hdf5_images);
  const Hdf5Facts& facts = images.facts();
  if (facts.storage != Hdf5Storage::kChunked) return std::string(name(facts.storage));
  std::string words = fmt::format("in chunks of {}", samples_text(facts.chunk.front()));
  for (std::size_t i = 0; i < facts.filters.size(); ++i) {
    words += facts.filters[i] == Hdf5Filter::kDeflate && facts.gzip_level ? fmt::format(", gzip {}", *facts.gzip_level)
                                                                          : ", " + facts.filter_names[i];
  }
  return words;
}

// How write_hdf5() stores images of one size.
std::string storage_words(const ConvertOptions& options, std::size_t samples) {
  if (!options.chunk_samples) return std::string(name(Hdf5Storage::kContiguous));
  return fmt::format("in chunks of {}{}", samples_text(std::min(*options.chunk_samples, samples)),
                     options.gzip_level == 0 ? "" : fmt::format(", gzip {}", options.gzip_level));
}

// Throws Error if an HDF5 file with the same samples stores them in another way than requested.
void check_storage(const fs::path& to, const ConvertFormat& format, const Dataset& from,
                   const ConvertOptions& options) {
  if (format.name != "hdf5" || !are_plain(from.info())) return;
  const std::string there = storage_words(to);
  const std::string wanted = storage_words(options, from.info().samples);
  if (there == wanted) return;
  throw Error(fmt::format(
      "cannot convert to {}: the same samples are there already, but their storage is {}, not {}; name another place "
      "or remove it",
      to.string(), there, wanted));
}

// `shown`: the path for messages.
bool holds_the_same(const fs::path& path, const fs::path& shown, const ConvertFormat& format, const Dataset& from,
                    const std::stop_token& stop) {
  const auto there = open_converted(from, path, format.name);
  if (there->info().encoded && are_plain(from.info())) {
    const auto same = decodes_to(*there, from, stop);
    if (!same) throw conversion_interrupted(shown);
    return *same;
  }
  if (from.info().text) {
    const auto same = holds_tokens_of(*there, from, stop);
    if (!same) throw conversion_interrupted(shown);
    return *same;
  }
  const auto a = content_fingerprint(*there, stop);
  const auto b = content_fingerprint(from, stop);
  if (!a || !b) throw conversion_interrupted(shown);
  return *a == *b;
}

// A copy of corrupt images would be useless but look complete.
void check_decodes(const ConvertJob& job) {
  if (!job.from.info().encoded) return;
  const auto found = verify(job.from, job.progress, job.stop);
  if (!found) throw conversion_interrupted(job.shown);
  if (found->faults.empty()) return;
  throw Error(
      fmt::format("cannot convert to {}: {} of {} samples cannot be decoded, the first is {}; `loadline data "
                  "verify` names them all",
                  job.shown.string(), found->faults.size(), job.from.info().samples,
                  job.from.describe(found->faults.front().index)));
}

bool is_taken(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !(fs::is_directory(path, ignored) && fs::is_empty(path, ignored));
}

// Written and read back under a temporary name next to `target`, where the links at job.shown lead.
template <typename Atomic>
void write_atomically(const ConvertFormat& format, const ConvertJob& job, const fs::path& target) {
  Atomic made(target);
  ConvertJob inner = job;
  inner.to = made.temporary();
  write_for(job.shown, made.temporary(), [&] {
    format.write(inner);
    if (!holds_the_same(made.temporary(), job.shown, format, job.from, job.stop)) {
      throw Error(fmt::format("cannot convert to {}: what was written reads back differently", job.shown.string()));
    }
  });
  made.commit();
}

}  // namespace

Error conversion_interrupted(const fs::path& path) {
  return Error(fmt::format("converting to {} was interrupted; nothing was left behind", path.string()));
}

std::span<const ConvertFormat> convert_formats() {
  return kFormats;
}

Converted convert(const Dataset& original, const fs::path& to, const ConvertOptions& options,
                  const ConvertProgress& progress, std::stop_token stop) {
  const ConvertFormat& format = row_named(kFormats, "format", options.format);
  const fs::path target = end_of_links("write", to);
  if (options.decode && !original.info().encoded) {
    throw usage_error("--decode: these samples are pixels already, only encoded images can be decoded");
  }
  // Before images are decoded, which takes long and may fail for another reason.
  refuse_what_it_cannot_hold(original, format);
  const bool decode = original.info().encoded && (options.decode || !format.holds_encoded);
  if (decode)
    check_decodes({.from = original, .to = {}, .shown = to, .options = options, .progress = progress, .stop = stop});
  const auto pixels = decode ? decoded(original, stop) : nullptr;
  const Dataset& from = pixels ? *pixels : original;
  check(from, format, options);
  if (is_taken(to)) {
    bool same = false;
    // If it cannot be read, it is something else.
    try {
      same = holds_the_same(to, to, format, from, stop);
    } catch (const Error&) {
      if (stop.stop_requested()) throw;
    }
    if (!same) {
      throw Error(
          fmt::format("cannot convert to {}: something else is there; name another place or remove it", to.string()));
    }
    check_storage(to, format, from, options);
    return Converted::kAlreadyThere;
  }
  const ConvertJob job{
      .from = from, .to = {}, .shown = to, .options = options, .progress = progress, .stop = std::move(stop)};
  check_decodes(job);
  format.is_directory ? write_atomically<AtomicDirectory>(format, job, target)
                      : write_atomically<AtomicFile>(format, job, target);
  return Converted::kMade;
}

std::unique_ptr<Dataset> open_converted(const Dataset& from, const fs::path& to, std::string_view format) {
  const std::string_view read_as = from.info().volume ? "volume" : row_named(kFormats, "format", format).read_as;
  return open_dataset(to, {.format = std::string(read_as)});
}

}  // namespace loadline
