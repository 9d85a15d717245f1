// The table of formats, and what opens a dataset in any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "loaders/datasets/dataset.h"
#include "loaders/system/numa.h"

namespace loadline {

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

// What the splits of a format are.
enum class Splits : std::uint8_t {
  kByName,       // the path may have both; where it is a single file, that is the split that was asked for
  kOfDirectory,  // a directory may have both, a single file is one
  kOne,          // a path is one
};

// What options may ask of a format, beyond what all formats can do. An option that asks for more is refused
// (check_abilities()), so that no format does that itself.
struct DatasetAbilities {
  Splits splits = Splits::kByName;
  bool coarse_labels = false;   // LabelKind::kCoarse
  bool file_reads = false;      // any FileRead
  bool named_datasets = false;  // hdf5_images and hdf5_labels
  // What `access` may ask for, of paths that `stored_in_hdf5` is true of; empty: nothing.
  std::span<const Access> accesses = {};
  bool (*stored_in_hdf5)(const std::filesystem::path& path) = nullptr;
  // Of those that sequences are cut from: the ways to cut them. Its name is that of its workload, too.
  std::span<const Sequences> sequences = {};
  // Of those that may inflate samples into memory while they are opened: how much of it that takes, nullopt where the
  // dataset stays in its files. Throws Error as `open` does.
  std::optional<std::uint64_t> (*inflated_bytes)(const std::filesystem::path& path,
                                                 const DatasetOptions& options) = nullptr;
};

struct DatasetFormat {
  std::string_view name;
  std::string_view summary;
  bool (*recognises)(const std::filesystem::path& path);  // looks at names and sizes only
  // The options have been held to `abilities`.
  std::unique_ptr<Dataset> (*open)(const std::filesystem::path& path, const DatasetOptions& options);
  DatasetAbilities abilities = {};
};

// The table of formats: list, help and conformance tests read it.
std::span<const DatasetFormat> dataset_formats();

// Throws Error naming path, option and what the format offers instead where `options` ask for what it cannot do. Looks
// at no more than whether `path` is a directory.
void check_abilities(const DatasetFormat& format, const std::filesystem::path& path, const DatasetOptions& options);

// Opens the dataset at `path`, a directory or one file. Throws Error naming the file and what is wrong with it.
std::unique_ptr<Dataset> open_dataset(const std::filesystem::path& path, const DatasetOptions& options);

// How much memory opening this dataset takes for its samples: 0 where they stay in their files, or where it cannot be
// opened, which open_dataset() says. Takes no memory for them itself.
std::uint64_t resident_bytes(const std::filesystem::path& path, const DatasetOptions& options);

}  // namespace loadline
