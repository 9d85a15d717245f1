#include <fmt/format.h>

#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/error.h"
#include "loaders/printable.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

// Turns a photograph's stored bytes into a sample, on one thread.
class PhotoMaker {
 public:
  PhotoMaker(const PhotoAssembler& assembler, const PhotoTransform& transform, SkippedSamples* skipped)
      : dataset_(assembler.dataset()), transform_(transform), skipped_(skipped) {}

  const Dataset& dataset() const { return dataset_; }

  // False if the sample is corrupt and must be skipped.
  bool make(SampleIndex index, StoredSample encoded, std::uint64_t epoch, std::byte* out, Stores stores) {
    try {
      transform_.apply(worker_, encoded, epoch, index, out, stores);
      return true;
    } catch (const Error& error) {
      refuse(index, error.what());
    } catch (const std::bad_alloc&) {
      refuse(index, "its pixels take more memory than there is");
    }
    return false;
  }

  // Throws, unless corrupt samples are skipped.
  void refuse(SampleIndex index, std::string_view why) {
    const std::string what = fmt::format("cannot decode {} (sample {}): {}", dataset_.describe(index), index, why);
    if (skipped_ == nullptr) {
      // If a file was cut while in use, the sample is not corrupt. With skipping, the end of the trial finds that out.
      dataset_.check_intact();
      dataset_.check_files();
      throw Error(what);
    }
    skipped_->add(index, printable(what));
  }

  // Call after the last sample, before another thread reads them.
  void finish(Stores stores) const {
    if (stores == Stores::kStreaming) transform_.kernels().fence();
  }

 private:
  const Dataset& dataset_;
  const PhotoTransform& transform_;
  SkippedSamples* skipped_;
  PhotoWorker worker_;
};

// Decodes and resizes one photograph after another on the calling thread. Reads the next one only then, while its
// memory is still in the cache, unless the reader can keep several reads in flight.
class PhotoFiller final : public Filler {
 public:
  PhotoFiller(PhotoMaker maker, const PhotoTransform& transform)
      : maker_(std::move(maker)), transform_(transform), reader_(maker_.dataset().make_reader(1)) {}

  void fill(Slot& slot, Stores requested) override {
    const Stores stores = transform_.effective(requested);
    std::size_t good = 0;
    // Overwrites only indices that were read already.
    {
      const InStage reading(WorkerStage::kRead);
      reader_->announce(slot.indices.first(slot.count));
    }
    for (std::size_t i = 0; i < slot.count; ++i) {
      const SampleIndex index = slot.indices[i];
      std::byte* out = slot.data.data() + good * slot.sample_bytes;
      if (!assemble(index, slot.epoch, out, stores)) continue;
      slot.indices[good] = index;
      slot.labels[good++] = maker_.dataset().labels()[index];
    }
    slot.count = good;
    slot.stores = stores;
    maker_.finish(stores);
    reader_->check_intact();
    maker_.dataset().check_intact();
    maker_.dataset().check_labels(slot.indices.first(good), slot.labels.first(good));
  }

  void ask_for(std::uint64_t /*epoch*/, std::span<const SampleIndex> indices, PagesAhead& pages) override {
    ask_for_samples(maker_.dataset(), indices, pages);
  }
  bool can_fetch() const override { return reader_->can_fetch(); }
  void fetch(std::span<const SampleIndex> indices) override { reader_->fetch(indices); }

 private:
  bool assemble(SampleIndex index, std::uint64_t epoch, std::byte* out, Stores stores) {
    StoredSample encoded;
    {
      const InStage reading(WorkerStage::kRead);
      reader_->read({&index, 1}, {&encoded, 1});
      count_read_bytes(encoded.size());
      // Corrupt rather than a failure of storage: it may be skipped.
      try {
        reader_->check(index);
      } catch (const Error& error) {
        maker_.refuse(index, error.what());
        return false;
      }
    }
    return maker_.make(index, encoded, epoch, out, stores);
  }

  PhotoMaker maker_;
  const PhotoTransform& transform_;
  std::unique_ptr<SampleReader> reader_;
};

class PhotoSampleFiller final : public SampleFiller {
 public:
  PhotoSampleFiller(PhotoMaker maker, Stores stores) : maker_(std::move(maker)), stores_(stores) {}

  bool fill(Slot& slot, std::size_t at, StoredSample stored) override {
    const SampleIndex index = slot.indices[at];
    if (!maker_.make(index, stored, slot.epoch, slot.data.data() + at * slot.sample_bytes, stores_)) return false;
    slot.labels[at] = maker_.dataset().labels()[index];
    maker_.finish(stores_);
    return true;
  }
  Stores stores() const override { return stores_; }

 private:
  PhotoMaker maker_;
  const Stores stores_;
};

}  // namespace

void SkippedSamples::add(SampleIndex index, const std::string& why) {
  const std::lock_guard lock(mutex_);
  reasons_.emplace(index, why);
}

std::map<SampleIndex, std::string> SkippedSamples::all() const {
  const std::lock_guard lock(mutex_);
  return reasons_;
}

SampleFormat PhotoAssembler::sample_format() const {
  const ImageShape shape = transform_.shape();
  return {
      .dtype = transform_.dtype(), .layout = transform_.layout(), .input = {shape.channels, shape.height, shape.width}};
}

std::unique_ptr<Filler> PhotoAssembler::make_filler(std::size_t /*batch_size*/) const {
  return std::make_unique<PhotoFiller>(PhotoMaker(*this, transform_, skipped_if_skipping()), transform_);
}

std::unique_ptr<SampleFiller> PhotoAssembler::make_sample_filler(Stores stores) const {
  return std::make_unique<PhotoSampleFiller>(PhotoMaker(*this, transform_, skipped_if_skipping()),
                                             transform_.effective(stores));
}

}  // namespace loadline
