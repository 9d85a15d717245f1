// What every storage format offers to the loaders.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/batch.h"
#include "loaders/datasets/file_names.h"
#include "loaders/datasets/labels.h"
#include "loaders/storage/mapping.h"
#include "loaders/storage/numa.h"
#include "loaders/storage/pages_ahead.h"
#include "loaders/tensor.h"

namespace loadline {

// How a sample is got at.
enum class Access : std::uint8_t {
  kMapped,    // where it lies in a mapped file
  kResident,  // where it lies in this process's own memory
  kRows,      // by the HDF5 library, one read a sample
  kBlocks,    // by the HDF5 library, one read for each run of neighbours in a batch
  kChunks,    // whole chunks of an HDF5 file as they are stored, decoded by the thread that wants them
  kFiles,     // a file a sample, read whole
  kUnknown,   // by a loader that is not ours, in a way of its own
};

// "mapped", "resident", "hdf5-rows", "hdf5-blocks", "hdf5-chunks", "files", "unknown".
std::string_view name(Access access);

// Whether readers copy what is stored into memory of their own, rather than find it where it is mapped or resident.
constexpr bool is_copied(Access access) {
  return access != Access::kMapped && access != Access::kResident;
}

// A cube of f32 values in the channels of two fields, [channels, edge, edge, edge] each.
struct VolumeShape {
  std::size_t edge = 0;  // values along each side
  std::size_t input_channels = 0;
  std::size_t target_channels = 0;

  std::size_t channels() const { return input_channels + target_channels; }
  std::size_t bytes() const { return channels() * edge * edge * edge * sizeof(float); }
  bool operator==(const VolumeShape&) const = default;
};

// How sequences are taken out of a row of tokens.
enum class Sequences : std::uint8_t {
  kRandom,       // each begins at a random token
  kConsecutive,  // each begins where the one before it ends
  kDocuments,    // the same, and none goes on into the next document
  kPadded,       // of text: each is a document, and the rest of its row stands empty
  kPacked,       // of text: each is a row that documents fill one behind the other
};

// "random", "consecutive", "documents", "padded", "packed".
constexpr std::string_view name(Sequences sequences) {
  switch (sequences) {
    case Sequences::kRandom: return "random";
    case Sequences::kConsecutive: return "consecutive";
    case Sequences::kDocuments: return "documents";
    case Sequences::kPadded: return "padded";
    case Sequences::kPacked: return "packed";
  }
  return "";
}

// Whether they are of text, rather than of a row of tokens.
constexpr bool is_of_text(Sequences sequences) {
  return sequences == Sequences::kPadded || sequences == Sequences::kPacked;
}

// A row of tokens, of which samples are sequences.
struct TokenShape {
  std::size_t tokens = 0;
  std::size_t token_bytes = 0;           // as stored: 2 or 4
  std::optional<std::size_t> documents;  // nullopt: that is not known
  std::size_t sequence_length = 0;       // maximum number of tokens that a sample predicts; 0: samples are not cut
  Sequences sequences = Sequences::kRandom;

  std::size_t bytes() const { return tokens * token_bytes; }
  bool operator==(const TokenShape&) const = default;
};

// What is a document of text.
enum class TextDocuments : std::uint8_t {
  kAuto,       // as the files are named (open_text())
  kLines,      // a line of a file
  kFiles,      // a file
  kJsonLines,  // a member of the JSON object that a line is; not to be asked for, files are named for it
};

// "auto", "lines", "files", "json-lines".
constexpr std::string_view name(TextDocuments documents) {
  switch (documents) {
    case TextDocuments::kAuto: return "auto";
    case TextDocuments::kLines: return "lines";
    case TextDocuments::kFiles: return "files";
    case TextDocuments::kJsonLines: return "json-lines";
  }
  return "";
}

// Documents, of which tokens are made as they are asked for.
struct TextShape {
  std::size_t documents = 0;
  std::size_t bytes = 0;  // of them all, as they are stored
  TextDocuments stored_as = TextDocuments::kLines;
  std::string tokenizer;            // "bytes", or the file of its model
  std::size_t vocabulary = 0;       // tokens are below it
  std::size_t sequence_length = 0;  // tokens that a sample has to predict, at the most; 0: nobody makes samples
  Sequences sequences = Sequences::kPadded;
  // Packed: how many stored bytes a row has, each document counting one more for its end.
  std::optional<std::size_t> row_bytes = std::nullopt;

  bool operator==(const TextShape&) const = default;
};

struct DatasetInfo {
  std::string format;       // row of the format table
  std::size_t samples = 0;  // at least 1; 0 only if the files are unknown and cannot be counted
  // Of one stored sample: u8, planar (all rows of channel 0, then of channel 1, ...). Of encoded ones, which have sizes
  // of their own, height and width are 0; of crops of a volume, of tokens and of text, all of it is 0.
  ImageShape shape;
  std::optional<VolumeShape> volume;  // that the samples are crops of
  std::optional<TokenShape> tokens;   // that the samples are sequences of
  std::optional<TextShape> text;      // that the samples are made of
  std::size_t classes = 0;            // labels are below it
  FileNames files;                    // all that belongs to the dataset
  std::size_t stored_bytes = 0;       // of `files`
  // Of `files`, that stored_bytes is estimated from; nullopt: it is of all.
  std::optional<std::size_t> sized_files = std::nullopt;
  bool encoded = false;          // samples are images in a format of their own, such as JPEG
  bool labels_in_memory = true;  // rather than read as they are asked for
  Access access = Access::kMapped;

  std::size_t sample_bytes() const { return shape.elements(); }  // of one stored sample of a size that all have
  // Whether samples are images that a class has been given to.
  bool labelled() const { return !volume && !tokens && !text; }
  std::size_t all_bytes() const {
    if (volume) return volume->bytes();
    if (tokens) return tokens->bytes();
    if (text) return text->bytes;
    return encoded ? stored_bytes : samples * sample_bytes();
  }
};

// "u8", of text too; "f32" of volumes, "u16" or "u32" of tokens.
std::string_view stored_type(const DatasetInfo& info);

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

// How the files of a folder are read.
enum class FileRead : std::uint8_t {
  kPread,  // opened, read and closed, one after the other; the system fetches the next ones meanwhile
  kMmap,   // mapped, read as they are decoded
  kUring,  // by io_uring, many at a time, ahead of the decoding
};

// "pread", "mmap", "uring".
std::string_view name(FileRead read);

enum class Split : std::uint8_t { kTrain, kTest };
enum class LabelKind : std::uint8_t { kFine, kCoarse };  // of CIFAR-100: 100 classes or 20

struct DatasetOptions {
  std::string format = "auto";  // or a row of the format table
  Split split = Split::kTrain;
  LabelKind labels = LabelKind::kFine;
  FileRead read = FileRead::kPread;  // of a folder of images
  ReadAheadOptions ahead;            // of FileRead::kUring
  bool in_memory = false;            // copy all samples into huge-page memory while opening
  MemoryPlace memory = {};           // where that lies
  std::optional<Access> access;      // of the HDF5 ones and kMapped; nullopt: as the format does by itself
  std::string hdf5_images = "images";
  std::string hdf5_labels = "labels";
  std::size_t crops = 1024;         // of a volume: samples an epoch
  std::size_t crop_edge = 1;        // of a volume, which has to be at least as long: values along each side of a sample
  std::size_t sequence_length = 0;  // tokens and text: how many each sample predicts; 0: samples are not cut
  Sequences sequences = Sequences::kRandom;
  std::size_t token_bytes = 0;     // of tokens: 2 or 4; 0: as their index says, 2 without one
  std::string tokenizer = "auto";  // of text: "bytes", a file with a model; auto: *.model beside it, or else bytes
  std::string text_key = "text";   // of text in JSON: the member that is the document
  TextDocuments documents = TextDocuments::kAuto;  // of text

  bool operator==(const DatasetOptions&) const = default;
};

struct DatasetFormat {
  std::string_view name;
  std::string_view summary;
  bool (*recognises)(const std::filesystem::path& path);  // looks at names and sizes only
  std::unique_ptr<Dataset> (*open)(const std::filesystem::path& path, const DatasetOptions& options);
};

// The table of formats: list, help and conformance tests read it.
std::span<const DatasetFormat> dataset_formats();

// Opens the dataset at `path`, a directory or one file. Throws Error naming the file and what is wrong with it.
std::unique_ptr<Dataset> open_dataset(const std::filesystem::path& path, const DatasetOptions& options);

// How much memory opening this dataset takes for its samples: 0 where they stay in their files, or where it cannot be
// opened, which open_dataset() says. Takes no memory for them itself.
std::uint64_t resident_bytes(const std::filesystem::path& path, const DatasetOptions& options);

// 64-bit digest of shape, labels and sample bytes in index order (XXH3). Reads every sample. Equal for equal samples,
// whatever the format they are stored in. None when `stop` was requested before the end. Throws Error as
// check_intact().
std::optional<std::uint64_t> content_fingerprint(const Dataset& dataset, const std::stop_token& stop);
// The same without a way to stop it.
std::uint64_t content_fingerprint(const Dataset& dataset);

// Of how many samples run_fingerprint() is, evenly spread: of a dataset of more than 4 GiB, counting a sample as 1 KiB
// at least and an encoded one as 32 KiB. Of more than 2^30 tokens they are runs of 1,024, of a volume of more than 4
// GiB all channels of single values, of more than 4 GiB of text documents, however many samples are made of them. None
// of less: it is content_fingerprint().
// The same whatever format the samples are stored in.
std::optional<std::size_t> fingerprint_samples(const DatasetInfo& info);
// What tells one dataset from another without reading for hours: the digest of shape, number of samples and, of so many
// samples, labels and bytes. Errors and `stop` as above.
std::optional<std::uint64_t> run_fingerprint(const Dataset& dataset, const std::stop_token& stop);

// Of how many files of a folder the page cache is looked at, evenly spread: to look at all takes minutes. None of those
// with fewer, where it is all.
inline constexpr std::size_t kMostFilesLookedAt = 65'536;
inline constexpr std::size_t kFilesLookedAt = 4'096;
std::optional<std::size_t> files_looked_at(const FileNames& files);

// How much of the dataset's files, or of those that are looked at, the page cache holds now.
Residency page_cache_residency(const Dataset& dataset);
Residency page_cache_residency(const FileNames& files);

}  // namespace loadline
