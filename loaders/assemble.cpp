#include "loaders/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "loaders/error.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

constexpr std::size_t kLineBytes = 64;
// A sample at a random place misses every cache and, being short, ends before the hardware has learned its stride.
// Prefetching this many bytes ahead into the second-level cache raised a gather of 3 KB samples from 3.1 to 5.0 M
// samples/s; in the first level the samples would evict each other (2.6 M).
constexpr std::size_t kPrefetchBytes = 12288;

void prefetch(StoredSample sample) {
  for (std::size_t at = 0; at < sample.size(); at += kLineBytes) __builtin_prefetch(sample.data() + at, 0, 2);
  // A sample that starts inside a line ends in one more.
  __builtin_prefetch(&sample.back(), 0, 2);
}

class ImageFiller final : public Filler {
 public:
  ImageFiller(const Dataset& dataset, const ImageTransform& transform, std::size_t batch_size)
      : dataset_(dataset), transform_(transform), reader_(dataset.make_reader(batch_size)), samples_(batch_size) {}

  void fill(Slot& slot, Stores requested) override {
    const Stores stores = transform_.effective(requested);
    const std::size_t ahead = std::clamp<std::size_t>(kPrefetchBytes / dataset_.info().sample_bytes(), 2, 16);
    const auto indices = slot.indices.first(slot.count);
    const auto samples = std::span(samples_).first(slot.count);
    {
      const InStage reading(WorkerStage::kRead);
      reader_->read(indices, samples);
      if (is_copied(dataset_.info().access)) count_read_bytes(slot.count * dataset_.info().sample_bytes());
    }
    for (std::size_t i = 0; i < std::min(ahead, slot.count); ++i) prefetch(samples[i]);

    const Labels& all_labels = dataset_.labels();
    const auto labels = slot.labels.first(slot.count);
    std::byte* out = slot.data.data();
    for (std::size_t i = 0; i < slot.count; ++i, out += slot.sample_bytes) {
      if (i + ahead < slot.count) prefetch(samples[i + ahead]);
      transform_.apply(samples[i].data(), slot.epoch, indices[i], out, stores);
      labels[i] = all_labels[indices[i]];
    }
    slot.stores = stores;
    if (stores == Stores::kStreaming) transform_.kernels().fence();
    dataset_.check_intact();
    dataset_.check_labels(indices, labels);
  }

  void ask_for(std::uint64_t /*epoch*/, std::span<const SampleIndex> indices, PagesAhead& pages) override {
    ask_for_samples(dataset_, indices, pages);
  }

 private:
  const Dataset& dataset_;
  const ImageTransform& transform_;
  std::unique_ptr<SampleReader> reader_;
  std::vector<StoredSample> samples_;  // of the current batch
};

class ImageSampleFiller final : public SampleFiller {
 public:
  ImageSampleFiller(const Dataset& dataset, const ImageTransform& transform, Stores stores)
      : dataset_(dataset), transform_(transform), stores_(stores) {}

  bool fill(Slot& slot, std::size_t at, StoredSample stored) override {
    const SampleIndex index = slot.indices[at];
    transform_.apply(stored.data(), slot.epoch, index, slot.data.data() + at * slot.sample_bytes, stores_);
    slot.labels[at] = dataset_.labels()[index];
    if (stores_ == Stores::kStreaming) transform_.kernels().fence();
    dataset_.check_intact();
    return true;
  }
  Stores stores() const override { return stores_; }

 private:
  const Dataset& dataset_;
  const ImageTransform& transform_;
  const Stores stores_;
};

// "3 x 32 x 32 in nhwc order".
std::string images_text(const ImageShape& shape, Layout layout) {
  return fmt::format("{} x {} x {} in {} order", shape.channels, shape.height, shape.width, name(layout));
}

}  // namespace

ImageAssembler::ImageAssembler(const Dataset& dataset, ImageTransform transform)
    : Assembler(dataset), transform_(std::move(transform)) {
  const DatasetInfo& info = dataset.info();
  if (transform_.shape() == info.shape && transform_.stored_layout() == info.stored_layout()) return;
  throw Error(fmt::format("cannot assemble images of {} by a transform of {}",
                          images_text(info.shape, info.stored_layout()),
                          images_text(transform_.shape(), transform_.stored_layout())));
}

SampleFormat ImageAssembler::sample_format() const {
  const ImageShape& shape = transform_.shape();
  return {
      .dtype = transform_.dtype(), .layout = transform_.layout(), .input = {shape.channels, shape.height, shape.width}};
}

std::unique_ptr<Filler> ImageAssembler::make_filler(std::size_t batch_size) const {
  return std::make_unique<ImageFiller>(dataset(), transform_, batch_size);
}

std::unique_ptr<SampleFiller> ImageAssembler::make_sample_filler(Stores stores) const {
  return std::make_unique<ImageSampleFiller>(dataset(), transform_, transform_.effective(stores));
}

}  // namespace loadline
