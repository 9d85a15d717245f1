// The work that every loader schedules: indices + dataset + transform -> one filled slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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

// What one thread needs of its own to fill slots, and what it has learned. Borrows its assembler.
class Filler {
 public:
  virtual ~Filler() = default;

  // Fills data and labels of the slot's first `count` samples, whose indices and epoch it holds already. One thread at
  // a time. Allocates nothing once its memory has grown to the largest sample, apart from what libraries take to decode
  // or tokenize a sample (libjpeg, OpenCV, SentencePiece) and, with FileRead::kMmap, the mapping of each file. Throws
  // Error naming file and place when storage fails under it. Streaming stores are fenced; where the transform has none,
  // cached ones take their place.
  virtual void fill(Slot& slot) = 0;

  // Asks for the mapped pages that fill() will read of these samples in that epoch. The same thread. Does not wait for
  // them.
  virtual void ask_for(std::uint64_t /*epoch*/, std::span<const SampleIndex> /*indices*/, PagesAhead& /*pages*/) {}
  // As SampleReader's, of samples that are not mapped. The same thread.
  virtual bool can_fetch() const { return false; }
  virtual void fetch(std::span<const SampleIndex> /*indices*/) {}
};

// As Filler, for one sample at a time, whose stored bytes the caller has. Several threads, each with one of its own,
// may fill places of one slot at a time.
class SampleFiller {
 public:
  virtual ~SampleFiller() = default;

  // Fills the data and the label of place `at` of the slot, whose indices and epoch it holds already. False: the sample
  // is corrupt and to be left out. Throws Error as Filler::fill().
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
  // Of one assembled sample.
  virtual std::size_t sample_bytes() const = 0;
  virtual SampleFormat sample_format() const = 0;
  // The stores that such a request results in.
  virtual Stores effective(Stores stores) const = 0;
  // The samples left out so far, with the reason: none where the first of them ends the feed. Any thread.
  virtual std::map<SampleIndex, std::string> skipped() const { return {}; }
  // For slots of up to `batch_size` samples. `stores`: how to write; none: what the thread learns to be faster.
  virtual std::unique_ptr<Filler> make_filler(std::size_t batch_size, std::optional<Stores> stores) const = 0;
  // The same for single samples; null where they are only assembled together.
  virtual std::unique_ptr<SampleFiller> make_sample_filler(std::optional<Stores> /*stores*/) const { return nullptr; }

 private:
  const Dataset& dataset_;
};

// Of samples that are stored as images of one size.
class ImageAssembler final : public Assembler {
 public:
  ImageAssembler(const Dataset& dataset, ImageTransform transform)
      : Assembler(dataset), transform_(std::move(transform)) {}

  std::size_t sample_bytes() const override { return transform_.sample_bytes(); }
  SampleFormat sample_format() const override;
  Stores effective(Stores stores) const override { return transform_.effective(stores); }
  std::unique_ptr<Filler> make_filler(std::size_t batch_size, std::optional<Stores> stores) const override;
  std::unique_ptr<SampleFiller> make_sample_filler(std::optional<Stores> stores) const override;

 private:
  ImageTransform transform_;
};

// Of crops of a volume. Batches are pairs: [batch, input channels, edge, edge, edge] and, behind it, [batch, target
// channels, edge, edge, edge].
class VolumeAssembler final : public Assembler {
 public:
  VolumeAssembler(const VolumeDataset& dataset, const VolumeTransform& transform);

  std::size_t sample_bytes() const override { return volume_.info().volume->channels() * transform_.channel_bytes(); }
  SampleFormat sample_format() const override;
  Stores effective(Stores stores) const override { return transform_.effective(stores); }
  std::unique_ptr<Filler> make_filler(std::size_t batch_size, std::optional<Stores> stores) const override;

 private:
  const VolumeDataset& volume_;
  VolumeTransform transform_;
};

// What stands in a batch of tokens behind the end of a document.
inline constexpr std::int32_t kNoToken = -1;

// Of sequences of tokens: batches of i32, [batch, sequence length + 1]. What a document is short of is kNoToken.
class TokenAssembler final : public Assembler {
 public:
  // `seed`: of random places.
  TokenAssembler(const TokenDataset& dataset, std::uint64_t seed);

  std::size_t sample_bytes() const override { return (length_ + 1) * sizeof(std::int32_t); }
  SampleFormat sample_format() const override;
  Stores effective(Stores /*stores*/) const override { return Stores::kCached; }
  std::unique_ptr<Filler> make_filler(std::size_t batch_size, std::optional<Stores> stores) const override;

 private:
  const TokenDataset& tokens_;
  std::uint64_t seed_;
  std::size_t length_;
};

// What to do with a sample that cannot be decoded.
enum class OnCorrupt : std::uint8_t { kFail, kSkip };

// The samples that were left out, and why. Thread-safe.
class SkippedSamples {
 public:
  void add(SampleIndex index, const std::string& why);
  std::map<SampleIndex, std::string> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<SampleIndex, std::string> reasons_;
};

// Of text, which becomes tokens here: batches of i32, [batch, sequence length + 1]. Tokens that have no room in the row
// of their sample are cut off; places that are left are kNoToken. A corrupt document that is skipped leaves its batch
// shorter by one where samples are documents, and its place in the row empty where rows are packed.
class TextAssembler final : public Assembler {
 public:
  TextAssembler(const TextDataset& dataset, OnCorrupt on_corrupt)
      : Assembler(dataset), text_(dataset), on_corrupt_(on_corrupt) {}

  std::size_t sample_bytes() const override { return (text_.info().text->sequence_length + 1) * sizeof(std::int32_t); }
  SampleFormat sample_format() const override;
  Stores effective(Stores /*stores*/) const override { return Stores::kCached; }
  std::unique_ptr<Filler> make_filler(std::size_t batch_size, std::optional<Stores> stores) const override;
  std::map<SampleIndex, std::string> skipped() const override { return skipped_.all(); }

 private:
  const TextDataset& text_;
  OnCorrupt on_corrupt_;
  mutable SkippedSamples skipped_;
};

// Of samples that are stored as encoded photographs of any size. A skipped one leaves its batch shorter by one; a batch
// of nothing else is delivered empty.
class PhotoAssembler final : public Assembler {
 public:
  PhotoAssembler(const Dataset& dataset, PhotoTransform transform, OnCorrupt on_corrupt)
      : Assembler(dataset), transform_(std::move(transform)), on_corrupt_(on_corrupt) {}

  std::size_t sample_bytes() const override { return transform_.sample_bytes(); }
  SampleFormat sample_format() const override;
  std::unique_ptr<Filler> make_filler(std::size_t batch_size, std::optional<Stores> stores) const override;
  std::unique_ptr<SampleFiller> make_sample_filler(std::optional<Stores> stores) const override;
  Stores effective(Stores stores) const override { return transform_.effective(stores); }
  std::map<SampleIndex, std::string> skipped() const override { return skipped_.all(); }

 private:
  // Null where the first one ends the feed.
  SkippedSamples* skipped_if_skipping() const { return on_corrupt_ == OnCorrupt::kSkip ? &skipped_ : nullptr; }

  PhotoTransform transform_;
  OnCorrupt on_corrupt_;
  mutable SkippedSamples skipped_;
};

}  // namespace loadline
