// The work that every loader schedules: indices + dataset + transform -> one filled slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "loaders/batch.h"
#include "loaders/datasets/dataset.h"
#include "loaders/datasets/text.h"
#include "loaders/datasets/tokens.h"
#include "loaders/datasets/volume.h"
#include "loaders/transforms/image_transform.h"
#include "loaders/transforms/photo_transform.h"
#include "loaders/transforms/volume_transform.h"

namespace loadline {

// One thread's state for filling slots. Borrows its assembler.
class Filler {
 public:
  virtual ~Filler() = default;

  // Fills data and labels of the slot's first `count` samples, whose indices and epoch it holds already. One thread
  // at a time. Allocates nothing once its memory has grown to the largest sample, apart from what libraries take to
  // decode or tokenise a sample (libjpeg, OpenCV, SentencePiece) and, with FileRead::kMmap, the mapping of each file.
  // Throws Error naming file and place when storage fails under it. Streaming stores are fenced; a transform that has
  // none uses cached ones instead.
  virtual void fill(Slot& slot, Stores stores) = 0;

  // Requests the mapped pages that fill() will read for these samples in that epoch, without waiting for them. The
  // same thread.
  virtual void ask_for(std::uint64_t /*epoch*/, std::span<const SampleIndex> /*indices*/, PagesAhead& /*pages*/) {}
  // As in SampleReader, for samples that are not mapped. The same thread.
  virtual bool can_fetch() const { return false; }
  virtual void fetch(std::span<const SampleIndex> /*indices*/) {}
};

// Like Filler, but fills one sample at a time from stored bytes that the caller provides. Several threads, each with
// its own SampleFiller, may fill places of one slot concurrently.
class SampleFiller {
 public:
  virtual ~SampleFiller() = default;

  // Fills the data and the label of place `at` of the slot, whose indices and epoch it holds already. False if the
  // sample is corrupt and must be left out. Throws Error like Filler::fill().
  virtual bool fill(Slot& slot, std::size_t at, StoredSample stored) = 0;
  virtual Stores stores() const = 0;
};

// The work to do, shared by all threads. Immutable. Borrows the dataset, which must outlive it.
class Assembler {
 public:
  explicit Assembler(const Dataset& dataset) : dataset_(dataset) {}
  Assembler(const Assembler&) = delete;
  Assembler& operator=(const Assembler&) = delete;
  virtual ~Assembler() = default;

  const Dataset& dataset() const { return dataset_; }
  // Size of one assembled sample.
  virtual std::size_t sample_bytes() const = 0;
  virtual SampleFormat sample_format() const = 0;
  // The stores that are used when `stores` is requested.
  virtual Stores effective(Stores stores) const = 0;
  // Whether the choice of stores can change the rate. If not, cached ones are used unless others are requested.
  virtual bool stores_matter() const { return effective(Stores::kStreaming) == Stores::kStreaming; }
  // The samples left out so far, with the reason. Empty if the first corrupt sample ends the feed. Any thread.
  virtual std::map<SampleIndex, std::string> skipped() const { return {}; }
  // For slots of up to `batch_size` samples.
  virtual std::unique_ptr<Filler> make_filler(std::size_t batch_size) const = 0;
  // Null if samples can only be assembled as a whole batch.
  virtual std::unique_ptr<SampleFiller> make_sample_filler(Stores /*stores*/) const { return nullptr; }

 private:
  const Dataset& dataset_;
};

// Assembles samples that are stored as images of one size.
class ImageAssembler final : public Assembler {
 public:
  // Throws Error if the transform is for other images than the dataset's, or for another order of their channels.
  ImageAssembler(const Dataset& dataset, ImageTransform transform);

  std::size_t sample_bytes() const override { return transform_.sample_bytes(); }
  SampleFormat sample_format() const override;
  Stores effective(Stores stores) const override { return transform_.effective(stores); }
  std::unique_ptr<Filler> make_filler(std::size_t batch_size) const override;
  std::unique_ptr<SampleFiller> make_sample_filler(Stores stores) const override;

 private:
  ImageTransform transform_;
};

// Assembles crops of a volume. A batch is a pair: [batch, input channels, edge, edge, edge], followed by [batch,
// target channels, edge, edge, edge].
class VolumeAssembler final : public Assembler {
 public:
  VolumeAssembler(const VolumeDataset& dataset, const VolumeTransform& transform);

  std::size_t sample_bytes() const override { return volume_.info().volume->channels() * transform_.channel_bytes(); }
  SampleFormat sample_format() const override;
  Stores effective(Stores stores) const override { return transform_.effective(stores); }
  std::unique_ptr<Filler> make_filler(std::size_t batch_size) const override;

 private:
  const VolumeDataset& volume_;
  VolumeTransform transform_;
};

// Pads a batch of tokens after the end of a document.
inline constexpr std::int32_t kNoToken = -1;

// Assembles sequences of tokens: batches of i32, [batch, sequence length + 1]. Where a document is too short, the
// rest of its row is kNoToken.
class TokenAssembler final : public Assembler {
 public:
  // `seed` chooses the random places.
  TokenAssembler(const TokenDataset& dataset, std::uint64_t seed);

  std::size_t sample_bytes() const override { return (length_ + 1) * sizeof(std::int32_t); }
  SampleFormat sample_format() const override;
  Stores effective(Stores /*stores*/) const override { return Stores::kCached; }
  std::unique_ptr<Filler> make_filler(std::size_t batch_size) const override;

 private:
  const TokenDataset& tokens_;
  std::uint64_t seed_;
  std::size_t length_;
};

// What to do with a sample that cannot be decoded.
enum class OnCorrupt : std::uint8_t { kFail, kSkip };

// The samples that were left out, and the reason for each. Thread-safe.
class SkippedSamples {
 public:
  void add(SampleIndex index, const std::string& why);
  std::map<SampleIndex, std::string> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<SampleIndex, std::string> reasons_;
};

// Turns text into tokens: batches of i32, [batch, sequence length + 1]. Tokens that do not fit in their sample's row
// are cut off; unused places are kNoToken. Skipping a corrupt document makes its batch one sample shorter if samples
// are documents; in packed rows its place stays empty.
class TextAssembler final : public Assembler {
 public:
  TextAssembler(const TextDataset& dataset, OnCorrupt on_corrupt)
      : Assembler(dataset), text_(dataset), on_corrupt_(on_corrupt) {}

  std::size_t sample_bytes() const override { return (text_.info().text->sequence_length + 1) * sizeof(std::int32_t); }
  SampleFormat sample_format() const override;
  Stores effective(Stores /*stores*/) const override { return Stores::kCached; }
  std::unique_ptr<Filler> make_filler(std::size_t batch_size) const override;
  std::map<SampleIndex, std::string> skipped() const override { return skipped_.all(); }

 private:
  const TextDataset& text_;
  OnCorrupt on_corrupt_;
  mutable SkippedSamples skipped_;
};

// Assembles samples that are stored as encoded photographs of any size. Each skipped sample makes its batch one
// shorter; a batch whose samples are all skipped is delivered empty.
class PhotoAssembler final : public Assembler {
 public:
  PhotoAssembler(const Dataset& dataset, PhotoTransform transform, OnCorrupt on_corrupt)
      : Assembler(dataset), transform_(std::move(transform)), on_corrupt_(on_corrupt) {}

  std::size_t sample_bytes() const override { return transform_.sample_bytes(); }
  SampleFormat sample_format() const override;
  std::unique_ptr<Filler> make_filler(std::size_t batch_size) const override;
  std::unique_ptr<SampleFiller> make_sample_filler(Stores stores) const override;
  Stores effective(Stores stores) const override { return transform_.effective(stores); }
  // Decoding takes many times as long as storing.
  bool stores_matter() const override { return false; }
  std::map<SampleIndex, std::string> skipped() const override { return skipped_.all(); }

 private:
  // Null if the first corrupt sample ends the feed.
  SkippedSamples* skipped_if_skipping() const { return on_corrupt_ == OnCorrupt::kSkip ? &skipped_ : nullptr; }

  PhotoTransform transform_;
  OnCorrupt on_corrupt_;
  mutable SkippedSamples skipped_;
};

}  // namespace loadline
