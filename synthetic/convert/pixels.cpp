// Converts between plain and encoded samples, on all CPUs.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "loaders/error.h"
#include "loaders/system/affinity.h"
#include "loaders/system/parallel.h"
#include "loaders/transforms/opencv.h"
#include "synthetic/convert/writers.h"

namespace loadline {
namespace {

// Samples per thread before all threads wait for the slowest: few, to save memory.
constexpr std::size_t kOfAThread = 32;

std::size_t cpus() {
  return std::max<std::size_t>(affinity_cpus().size(), 1);
}

bool is_grey_png(StoredSample encoded) {
  constexpr unsigned char kMagic[] = {0x89, 'P', 'N', 'G'};
  constexpr std::size_t kColourType = 25;  // in the header that begins every PNG: 0 and 4 are grey
  if (encoded.size() <= kColourType || std::memcmp(encoded.data(), kMagic, sizeof kMagic) != 0) return false;
  return encoded[kColourType] == std::byte{0} || encoded[kColourType] == std::byte{4};
}

// Interleaved rows of red, green and blue to planes, or to one grey plane.
void to_planes(const RgbView& pixels, std::size_t channels, std::span<std::byte> out) {
  const auto [height, width] = pixels.size;
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t y = 0; y < height; ++y) {
      const std::uint8_t* row = pixels.row(y);
      std::byte* to = out.data() + (c * height + y) * width;
      for (std::size_t x = 0; x < width; ++x) to[x] = static_cast<std::byte>(row[3 * x + c]);
    }
  }
}

struct Decoding {
  std::unique_ptr<SampleReader> reader;
  OpenCvDecoder decoder;

  explicit Decoding(const Dataset& from) : reader(from.make_reader(1)) {}

  StoredSample read(SampleIndex index) {
    StoredSample sample;
    reader->read({&index, 1}, {&sample, 1});
    reader->check(index);
    return sample;
  }
  ImageSize open(const Dataset& from, SampleIndex index, StoredSample sample) {
    try {
      const ImageSize size = decoder.open_deep(sample, false);
      if (decoder.is_deep()) throw Error("it has 16 bits per value, and only 8 can be stored as pixels");
      return size;
    } catch (const Error& error) {
      throw Error(fmt::format("cannot decode {} (sample {}): {}", from.describe(index), index, error.what()));
    }
  }
};

std::vector<Decoding> decodings(const Dataset& from) {
  std::vector<Decoding> workers;
  for (std::size_t i = 0; i < cpus(); ++i) workers.emplace_back(from);
  return workers;
}

class DecodedDataset final : public Dataset {
 public:
  DecodedDataset(DatasetInfo info, const Dataset& encoded)
      : Dataset(std::move(info), encoded.checked_labels(encoded.info().samples)), encoded_(encoded) {}

  std::string describe(SampleIndex index) const override { return encoded_.describe(index); }
  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override {
    return std::make_unique<Reader>(*this, most);
  }
  void check_intact() const override { encoded_.check_intact(); }

  bool visit(const std::function<bool(StoredSample)>& visitor) const override {
    auto workers = decodings(encoded_);
    const std::size_t block = workers.size() * kOfAThread;
    const std::size_t bytes = info().sample_bytes();
    std::vector<std::byte> planes(block * bytes);
    for (std::size_t first = 0; first < info().samples; first += block) {
      const std::size_t count = std::min(block, info().samples - first);
      in_parallel(count, workers.size(), [&](std::size_t worker, std::size_t i) {
        decode(workers[worker], static_cast<SampleIndex>(first + i), std::span(planes).subspan(i * bytes, bytes));
      });
      for (std::size_t i = 0; i < count; ++i) {
        if (!visitor(std::span<const std::byte>(planes).subspan(i * bytes, bytes))) return false;
      }
      check_intact();
    }
    return true;
  }

 private:
  class Reader final : public SampleReader {
   public:
    Reader(const DecodedDataset& dataset, std::size_t most)
        : dataset_(dataset), worker_(dataset.encoded_), planes_(most * dataset.info().sample_bytes()) {}

    void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
      const std::size_t bytes = dataset_.info().sample_bytes();
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto place = std::span(planes_).subspan(i * bytes, bytes);
        dataset_.decode(worker_, indices[i], place);
        out[i] = place;
      }
    }

   private:
    const DecodedDataset& dataset_;
    Decoding worker_;
    std::vector<std::byte> planes_;
  };

  void decode(Decoding& worker, SampleIndex index, std::span<std::byte> out) const {
    const StoredSample sample = worker.read(index);
    const ImageSize size = worker.open(encoded_, index, sample);
    const ImageShape& shape = info().shape;
    if (size != ImageSize{shape.height, shape.width}) {
      throw Error(fmt::format("cannot store pixels: all images must have one size, {} has {} x {} and {} has {} x {}",
                              describe(0), shape.width, shape.height, describe(index), size.width, size.height));
    }
    to_planes(worker.decoder.decode(whole(size)), shape.channels, out);
  }

  const Dataset& encoded_;
};

}  // namespace

std::string encoded_obstacle(const Dataset& from) {
  const DatasetInfo& info = from.info();
  if (!info.labelled()) return "images only";
  if (info.encoded || info.shape.channels == 1 || info.shape.channels == 3) return "";
  return fmt::format("images of 1 or 3 channels, these have {}", info.shape.channels);
}

void stream_encoded(const ConvertJob& job, const ConsumeEncoded& consume) {
  const DatasetInfo& info = job.from.info();
  std::size_t done = 0;
  const auto give = [&](StoredSample encoded) {
    consume(done, encoded);
    if (++done % 64 == 0 && job.progress) job.progress(done, info.samples);
  };
  const auto go_on = [&] {
    if (job.stop.stop_requested()) throw conversion_interrupted(job.shown);
  };
  if (info.encoded) {
    job.from.visit([&](StoredSample sample) {
      go_on();
      give(sample);
      return true;
    });
    return;
  }
  std::vector<OpenCvDecoder> workers(cpus());
  const std::size_t block = workers.size() * kOfAThread;
  const auto reader = job.from.make_reader(block);
  std::vector<SampleIndex> indices(block);
  std::vector<StoredSample> samples(block);
  std::vector<std::vector<std::byte>> encoded(block);
  for (std::size_t first = 0; first < info.samples; first += block) {
    go_on();
    const std::size_t count = std::min(block, info.samples - first);
    std::iota(indices.begin(), indices.end(), static_cast<SampleIndex>(first));
    reader->read(std::span(indices).first(count), std::span(samples).first(count));
    in_parallel(count, workers.size(), [&](std::size_t worker, std::size_t i) {
      const auto png = workers[worker].png(samples[i], info.shape);
      encoded[i].assign(png.begin(), png.end());
    });
    job.from.check_intact();
    for (std::size_t i = 0; i < count; ++i) give(encoded[i]);
  }
}

std::unique_ptr<Dataset> decoded(const Dataset& encoded, const std::stop_token& stop) {
  DatasetInfo info = encoded.info();
  Decoding first(encoded);
  const ImageSize size = first.open(encoded, 0, first.read(0));
  bool grey = true;
  encoded.visit([&](StoredSample sample) {
    grey = is_grey_png(sample);
    return grey && !stop.stop_requested();
  });
  info.encoded = false;
  info.shape = {.channels = grey ? std::size_t{1} : std::size_t{3}, .height = size.height, .width = size.width};
  return std::make_unique<DecodedDataset>(resident(std::move(info)), encoded);
}

std::optional<bool> decodes_to(const Dataset& encoded, const Dataset& plain, const std::stop_token& stop) {
  const DatasetInfo& info = plain.info();
  if (encoded.info().samples != info.samples || !std::ranges::equal(encoded.labels(), plain.labels())) return false;
  struct Both {
    Decoding encoded;
    std::unique_ptr<SampleReader> plain;
    std::vector<std::byte> planes;
  };
  std::vector<Both> workers;
  for (std::size_t i = 0; i < cpus(); ++i) {
    workers.push_back({Decoding(encoded), plain.make_reader(1), std::vector<std::byte>(info.sample_bytes())});
  }
  std::atomic<bool> same = true;
  in_parallel(info.samples, workers.size(), [&](std::size_t number, std::size_t i) {
    if (!same || stop.stop_requested()) return;
    Both& worker = workers[number];
    const auto index = static_cast<SampleIndex>(i);
    const ImageSize size = worker.encoded.open(encoded, index, worker.encoded.read(index));
    StoredSample wanted;
    worker.plain->read({&index, 1}, {&wanted, 1});
    if (size != ImageSize{info.shape.height, info.shape.width}) {
      same = false;
      return;
    }
    to_planes(worker.encoded.decoder.decode(whole(size)), info.shape.channels, worker.planes);
    if (!std::ranges::equal(worker.planes, wanted)) same = false;
  });
  if (stop.stop_requested()) return std::nullopt;
  return same.load();
}

}  // namespace loadline
