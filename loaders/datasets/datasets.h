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
  kPread,  // opened, read and closed one after another; meanwhile the system fetches the next ones
  kMmap,   // mapped; read while they are decoded
  kUring,  // by io_uring, many at a time, ahead of the decoding
};

// "pread", "mmap", "uring".
std::string_view name(FileRead read);

enum class Split : std::uint8_t { kTrain, kTest };
enum class LabelKind : std::uint8_t { kFine, kCoarse };  // CIFAR-100 only: 100 or 20 classes

struct DatasetOptions {
  std::string format = "auto";  // or a row of the format table
  Split split = Split::kTrain;
  LabelKind labels = LabelKind::kFine;
  FileRead read = FileRead::kPread;  // for a folder of images
  ReadAheadOptions ahead;            // for FileRead::kUring
  bool in_memory = false;            // copy all samples into huge-page memory while opening
  MemoryPlace memory = {};           // where the copy lies
  std::optional<Access> access;      // one of the HDF5 ways or kMapped; nullopt: the format's default
  std::string hdf5_images = "images";
  std::string hdf5_labels = "labels";
  std::size_t crops = 1024;         // volumes: samples per epoch
  std::size_t crop_edge = 1;        // volumes: values along each side of a sample, at most the volume's edge
  std::size_t sequence_length = 0;  // tokens and text: how many each sample predicts; 0: samples are not cut
  Sequences sequences = Sequences::kRandom;
  std::size_t token_bytes = 0;     // tokens: 2 or 4; 0: as their index says, or 2 without an index
  std::string tokenizer = "auto";  // text: "bytes" or a model file; "auto": *.model next to the text, otherwise bytes
  std::string text_key = "text";   // text in JSON: the member that holds the document
  TextDocuments documents = TextDocuments::kAuto;  // text
  // .npz: read both arrays whole while opening and compare their checksums, which no sample has of its own. Those of
  // deflated arrays and of other formats are always checked, at the latest when samples are decoded.
  bool verify_checksums = false;

  bool operator==(const DatasetOptions&) const = default;
};

// How a format's paths relate to splits.
enum class Splits : std::uint8_t {
  kOfDirectory,  // a directory may hold both; a single file is one split
  kOfArchive,    // the same, but an .npz may hold both too
  kOne,          // a path is one split
};

// What options may request from a format beyond what all formats offer. check_abilities() refuses any other request,
// so formats need not.
struct DatasetAbilities {
  Splits splits = Splits::kOne;
  bool coarse_labels = false;   // LabelKind::kCoarse
  bool file_reads = false;      // any FileRead
  bool named_datasets = false;  // hdf5_images and hdf5_labels
  // The values that option `access` may take, for paths for which `stored_in_hdf5` is true, or for all if it is null;
  // empty: none.
  std::span<const Access> accesses = {};
  bool (*stored_in_hdf5)(const std::filesystem::path& path) = nullptr;
  // For formats with sequences: the ways to cut them. Such a format's name is also that of its workload.
  std::span<const Sequences> sequences = {};
  // For formats that may inflate samples into memory while opening: how many bytes that takes; nullopt if the dataset
  // stays in its files. Throws Error like `open`.
  std::optional<std::uint64_t> (*inflated_bytes)(const std::filesystem::path& path,
                                                 const DatasetOptions& options) = nullptr;
};

struct DatasetFormat {
  std::string_view name;
  std::string_view summary;
  bool (*recognises)(const std::filesystem::path& path);  // looks at names, sizes and first bytes only
  // The options have been checked against `abilities`.
  std::unique_ptr<Dataset> (*open)(const std::filesystem::path& path, const DatasetOptions& options);
  DatasetAbilities abilities = {};
};

// The table of formats. The list, the help and the completion read it; every format has tests of its own.
std::span<const DatasetFormat> dataset_formats();

// Throws Error naming path, option and what the format offers instead if `options` request what it cannot do. Looks
// only at whether `path` is a directory or HDF5.
void check_abilities(const DatasetFormat& format, const std::filesystem::path& path, const DatasetOptions& options);

// Opens the dataset at `path`, a directory or one file. A single .bin that no format recognises holds tokens if the
// options ask for sequences of them. Throws Error naming the file and what is wrong with it.
std::unique_ptr<Dataset> open_dataset(const std::filesystem::path& path, const DatasetOptions& options);

// How many bytes of memory opening this dataset takes for its samples: 0 if they stay in their files, or if it cannot
// be opened, which open_dataset() reports. Allocates none itself.
std::uint64_t resident_bytes(const std::filesystem::path& path, const DatasetOptions& options);

}  // namespace loadline
