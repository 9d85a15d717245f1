// The interface of every storage format to the loaders.
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

using StoredSample = std::span<const std::byte>;  // the bytes of one sample

// Reads samples for one thread. The dataset must outlive it.
class SampleReader {
 public:
  virtual ~SampleReader() = default;

  // Writes to `out` where the bytes of each of `indices` can be read until the next call; mapped bytes are not
  // touched yet. `indices` must be below the dataset's count; `out` has the same length. Throws Error naming file and
  // place.
  virtual void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) = 0;

  // Announces the samples that read() will be called for next, one at a time and in this order, so that a reader
  // which can keep many reads in flight may fetch them ahead. Replaces any earlier announcement, read or not, so a
  // failed batch leaves nothing behind. Borrows `indices` until they are read. Throws Error like read().
  virtual void announce(std::span<const SampleIndex> /*indices*/) {}
  // Whether fetch() has any effect.
  virtual bool can_fetch() const { return false; }
  // Asks the system to fetch the first of these samples, which will be announced later, perhaps to another thread's
  // reader. Does not wait and keeps nothing. Only advice: it never fails.
  virtual void fetch(std::span<const SampleIndex> /*indices*/) {}
  // Throws Error if this sample fails the checksum of its format; quick for those read last. The message gives only
  // the reason, like a decoder's; the caller adds which sample.
  virtual void check(SampleIndex /*index*/) const {}
  // Throws Error if the storage of the last read() has vanished since.
  virtual void check_intact() const {}
};

struct ReadAheadOptions {
  std::size_t requests = 64;                  // samples requested from storage at a time
  std::size_t bytes = std::size_t{64} << 20;  // memory for samples requested and not yet given back

  bool operator==(const ReadAheadOptions&) const = default;
};

// Reads samples concurrently and returns them in the order in which storage answers. The dataset must outlive it. One
// thread at a time may call ask(), arrived() and give_back(); wait() and stored() may run concurrently with these.
// Throws Error once storage stops taking or answering requests; it is unusable then. The destructor waits for all
// requests.
class SampleArrivals {
 public:
  virtual ~SampleArrivals() = default;

  struct Arrival {
    std::size_t ticket = 0;  // as given to ask()
    std::size_t place = 0;   // argument of stored() and give_back()
  };

  // Requests a sample. False if storage is busy with too many, or too many are not yet given back. Always accepts a
  // sample once all others were given back and storage is not busy. Does not wait.
  virtual bool ask(SampleIndex index, std::size_t ticket) = 0;
  // A sample that has arrived, in any order; one that cannot be read arrives too. Does not wait.
  virtual std::optional<Arrival> arrived() = 0;
  // Waits up to `limit` until arrived() may return a sample. One thread at a time; arrived() must not be called
  // meanwhile.
  virtual void wait(std::chrono::nanoseconds limit) = 0;
  // The bytes of an arrived sample, valid until it is given back. Throws Error naming it and the reason. Any thread.
  virtual StoredSample stored(std::size_t place) = 0;
  virtual void give_back(std::size_t place) = 0;

  // How many requests storage has not answered yet.
  virtual std::size_t in_flight() const = 0;
  // Whether ask() refuses because too much has not been given back yet, rather than because storage is busy.
  virtual bool window_full() const = 0;
  // Whether storage has something left to report, so that waiting for it makes sense: a request in flight, or the end
  // of one that it has answered, such as the closing of a file. arrived() takes note of both.
  virtual bool busy() const = 0;
};

class TextDataset;
class TokenDataset;
class VolumeDataset;

// An immutable, random-access set of images and labels. All const members are safe to call from any thread. Opening
// checks the extents of every file and, but for large datasets (labels.h), reads every label; images are read on
// demand.
class Dataset {
 public:
  virtual ~Dataset() = default;

  const DatasetInfo& info() const { return info_; }
  // One per sample, each in [0, classes). Crops of a volume, tokens and text have no labels: each would be 0.
  const Labels& labels() const { return labels_; }
  // Throws Error naming the first sample whose label is not below info().classes. Only stored labels need this:
  // others have been checked. `labels` are those of `indices`.
  void check_labels(std::span<const SampleIndex> indices, std::span<const std::int32_t> labels) const {
    if (labels_.stored()) check_stored_labels(indices, labels);
  }
  // A copy of the first `count` labels, all of them checked: nothing about a copy shows that it was stored. Throws
  // Error like check_labels().
  std::vector<std::int32_t> checked_labels(std::size_t count) const;

  // This dataset as its own kind, with that kind's further members; null if it is of another kind. Samples are cut
  // from tokens, made from text, or crops of a volume; all other datasets hold images.
  virtual const TokenDataset* as_tokens() const { return nullptr; }
  virtual const TextDataset* as_text() const { return nullptr; }
  virtual const VolumeDataset* as_volume() const { return nullptr; }

  // Stored bytes of each sample, if each is one document of text. Empty if all samples have one length, or lengths
  // are unknown.
  virtual std::span<const std::uint32_t> lengths() const { return {}; }

  // The name of this sample in messages: its file or its number.
  virtual std::string describe(SampleIndex index) const;

  // The files that samples are mapped from; empty if samples are not mapped, or each file is mapped only while it is
  // read.
  virtual std::vector<MappedBytes> mapped_files() const { return {}; }
  // Finds the stored bytes of each of `indices` in mapped_files() without touching them; false if they are not there.
  // `out` has the length of `indices`. Any thread.
  virtual bool find_mapped(std::span<const SampleIndex> /*indices*/, std::span<StoredSample> /*out*/) const {
    return false;
  }

  // For up to `most` samples at a time, each of info().sample_bytes() bytes unless encoded. Throws Error if its
  // memory is refused.
  virtual std::unique_ptr<SampleReader> make_reader(std::size_t most) const = 0;

  // Null if samples cannot be read concurrently.
  virtual std::unique_ptr<SampleArrivals> make_arrivals() const { return nullptr; }

  // Reads everything stored except the labels and passes it to `visitor` in order, sample by sample, until `visitor`
  // returns false. Returns whether it reached the end. `visitor` is called by one thread at a time, not always the
  // same one. Passes on encoded samples as they are, corrupt or not. Throws Error if storage fails, and what `visitor`
  // throws.
  virtual bool visit(const std::function<bool(StoredSample)>& visitor) const;

  // Throws Error naming file and byte if any read so far met storage that vanished after the dataset was opened.
  virtual void check_intact() const {}

  // Throws Error if a file has become shorter since it was opened, which check_intact() cannot always see.
  virtual void check_files() const {}

  // Releases this process's memory for mapped samples and stored labels read so far; they can still be read again.
  void forget_pages() const {
    forget_samples();
    labels_.forget_pages();
  }

  // All memory that holds samples, one entry per copy; empty if they stay in their files.
  virtual std::vector<std::span<const std::byte>> memory() const { return {}; }

 protected:
  Dataset(DatasetInfo info, Labels labels) : info_(std::move(info)), labels_(std::move(labels)) {
    info_.labels_in_memory = !labels_.stored();
  }

 private:
  // The samples' part of forget_pages().
  virtual void forget_samples() const {}
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

  // Like SampleReader::read(), but the bytes live as long as the dataset. Any thread.
  virtual void locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const = 0;

 private:
  class Locator;
};

// Requests the pages of these samples if they are mapped. Any thread.
void ask_for_samples(const Dataset& dataset, std::span<const SampleIndex> indices, PagesAhead& pages);

}  // namespace loadline
