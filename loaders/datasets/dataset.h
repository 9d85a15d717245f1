// What every storage format offers to the loaders.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "loaders/datasets/dataset_info.h"
#include "loaders/datasets/labels.h"
#include "loaders/sample_index.h"
#include "loaders/storage/mapping.h"
#include "loaders/storage/pages_ahead.h"

namespace loadline {

using StoredSample = std::span<const std::byte>;  // the bytes of one

// One thread's way to the samples of a dataset, which must outlive it.
class SampleReader {
 public:
  virtual ~SampleReader() = default;

  // Writes where each of `indices` can be read, until the next call. Bytes that lie in a mapping are not touched yet.
  // `indices` must be below the dataset's count; `out` is as long as they. Throws Error naming file and place.
  virtual void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) = 0;

  // Tells of the samples that read() will be asked for next, one at a time and in this order, so that one which can
  // have many under way may fetch them ahead. Forgets what it was told before, read or not: a batch that fails leaves
  // nothing behind. Borrows those of `indices` that were not read yet. Throws Error as read() does.
  virtual void announce(std::span<const SampleIndex> /*indices*/) {}
  // Whether fetch() does anything.
  virtual bool can_fetch() const { return false; }
  // Asks the system to fetch the first ones of these samples, which will be announced some time later, maybe to another
  // thread's reader. Waits for none of them and keeps nothing. Advice alone: nothing fails.
  virtual void fetch(std::span<const SampleIndex> /*indices*/) {}
  // Throws Error where one of the samples read last is corrupt, by a checksum that its format keeps. It is for the
  // caller to say which one: the reason alone, as that of a decoder.
  virtual void check(SampleIndex /*index*/) const {}
  // Throws Error when the storage of what was given last has gone since.
  virtual void check_intact() const {}
};

struct ReadAheadOptions {
  std::size_t requests = 64;                  // samples that storage is asked for at a time
  std::size_t bytes = std::size_t{64} << 20;  // of memory for samples asked for and not yet given back

  bool operator==(const ReadAheadOptions&) const = default;
};

// Samples of a dataset, which must outlive it, asked for side by side and had as storage answers. Whoever shares it
// lets one thread at a time call ask(), arrived() and give_back(); wait() and stored() may run beside these. Throws
// Error where storage does not take requests or answer them any more; it is of no use then. The destructor waits for
// what was asked for.
class SampleArrivals {
 public:
  virtual ~SampleArrivals() = default;

  struct Arrival {
    std::size_t ticket = 0;  // that ask() was given
    std::size_t place = 0;   // for stored() and give_back()
  };

  // Asks for a sample. False: as many as may be are asked for at a time or not given back yet. One sample is always
  // accepted where all others were given back. Does not wait.
  virtual bool ask(SampleIndex index, std::size_t ticket) = 0;
  // One that has arrived, in whatever order; a sample that cannot be read arrives too. Does not wait.
  virtual std::optional<Arrival> arrived() = 0;
  // Waits until arrived() may have one, for `limit` at the most. One thread at a time; nobody calls arrived()
  // meanwhile.
  virtual void wait(std::chrono::nanoseconds limit) = 0;
  // The bytes of a sample that has arrived, until it is given back. Throws Error naming it and the reason. Any thread.
  virtual StoredSample stored(std::size_t place) = 0;
  virtual void give_back(std::size_t place) = 0;

  // Asked for, and storage has not answered.
  virtual std::size_t in_flight() const = 0;
  // Whether ask() refuses for another reason than the requests in flight: too much was not given back yet.
  virtual bool window_full() const = 0;
};

class TextDataset;
class TokenDataset;
class VolumeDataset;

// An immutable, random-access set of images and labels. All const members are safe to call from any thread. Opening
// checks the extents of every file and, but for large datasets (labels.h), reads every label; the images are read as
// they are asked for.
class Dataset {
 public:
  virtual ~Dataset() = default;

  const DatasetInfo& info() const { return info_; }
  // One a sample, each in [0, classes). Of crops of a volume, tokens and text there are none: each would be 0.
  const Labels& labels() const { return labels_; }
  // Throws Error naming the first sample whose label is not below info().classes. For labels that were stored: others
  // have been checked. `labels` are those of `indices`.
  void check_labels(std::span<const SampleIndex> indices, std::span<const std::int32_t> labels) const {
    if (labels_.stored()) check_stored_labels(indices, labels);
  }

  // This dataset as its kind, which has more to ask than Dataset; null where it is of another kind. Samples are cut
  // from tokens, made of text, or crops of a volume; those of all other datasets are images.
  virtual const TokenDataset* as_tokens() const { return nullptr; }
  virtual const TextDataset* as_text() const { return nullptr; }
  virtual const VolumeDataset* as_volume() const { return nullptr; }

  // How long each sample is, in bytes as it is stored: of documents of text, one a sample. Empty where all are of one
  // length, or that is not known.
  virtual std::span<const std::uint32_t> lengths() const { return {}; }

  // What to call this sample in a message: its file, or its number.
  virtual std::string describe(SampleIndex index) const;

  // The files that samples are mapped from; empty where they are not, or where each file is mapped as it is read.
  virtual std::vector<MappedBytes> mapped_files() const { return {}; }
  // Where the stored bytes of each of `indices` lie in mapped_files(), without touching them; false where they do not.
  // `out` is as long as `indices`. Any thread.
  virtual bool find_mapped(std::span<const SampleIndex> /*indices*/, std::span<StoredSample> /*out*/) const {
    return false;
  }

  // For up to `most` samples at a time, each of info().sample_bytes() bytes unless encoded. Throws Error when its
  // memory is refused.
  virtual std::unique_ptr<SampleReader> make_reader(std::size_t most) const = 0;

  // Null where samples are not asked for side by side.
  virtual std::unique_ptr<SampleArrivals> make_arrivals() const { return nullptr; }

  // Reads all that is stored, the labels apart, and gives it to `visitor` in order: sample by sample, until that
  // returns false. Returns whether it came to the end. `visitor` is called by one thread at a time, not always the
  // same. Throws Error when storage fails under it, and what `visitor` throws.
  virtual bool visit(const std::function<bool(StoredSample)>& visitor) const;

  // Throws Error naming file and byte when any read so far met storage that has gone since the dataset was opened.
  virtual void check_intact() const {}

  // Throws Error when a file is no longer as long as it was when opened, which check_intact() cannot always see.
  virtual void check_files() const {}

  // Gives back the memory that mapped samples read so far take of this process; reading them again is still possible.
  virtual void forget_pages() const {}

  // All memory that samples lie in, each copy of them; empty where they stay in their files.
  virtual std::vector<std::span<const std::byte>> memory() const { return {}; }

 protected:
  Dataset(DatasetInfo info, Labels labels) : info_(std::move(info)), labels_(std::move(labels)) {
    info_.labels_in_memory = !labels_.stored();
  }

 private:
  void check_stored_labels(std::span<const SampleIndex> indices, std::span<const std::int32_t> labels) const;

  DatasetInfo info_;
  Labels labels_;
};

// A dataset whose samples lie in this process's address space: mapped, or in memory.
class AddressableDataset : public Dataset {
 public:
  std::unique_ptr<SampleReader> make_reader(std::size_t most) const final;
  bool find_mapped(std::span<const SampleIndex> indices, std::span<StoredSample> out) const final {
    if (info().access != Access::kMapped) return false;
    locate(indices, out);
    return true;
  }

 protected:
  using Dataset::Dataset;

  // As SampleReader::read(); what it gives lives as long as the dataset. Any thread.
  virtual void locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const = 0;

 private:
  class Locator;
};

// Asks for the pages that these samples lie on, where they are mapped. Any thread.
void ask_for_samples(const Dataset& dataset, std::span<const SampleIndex> indices, PagesAhead& pages);

}  // namespace loadline
