#include "loaders/datasets/datasets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/memory.h"
#include "loaders/datasets/script.h"
#include "loaders/error.h"
#include "loaders/listed.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::array kEveryHdf5Access{Access::kMapped, Access::kRows, Access::kBlocks, Access::kChunks};
constexpr std::array kBoxAccess{Access::kMapped, Access::kRows};
constexpr std::array kTokenSequences{Sequences::kRandom, Sequences::kConsecutive, Sequences::kDocuments};
constexpr std::array kTextSequences{Sequences::kPadded, Sequences::kPacked};

constexpr std::array kFormats{
    DatasetFormat{"idx",
                  "MNIST family: images and labels in IDX files, plain or .gz",
                  recognises_idx,
                  open_idx,
                  {.splits = Splits::kOfDirectory, .inflated_bytes = inflated_idx_bytes}},
    DatasetFormat{"cifar10",
                  "CIFAR-10 binary: data_batch_*.bin and test_batch.bin, or one file",
                  recognises_cifar10,
                  open_cifar10,
                  {.splits = Splits::kOfDirectory}},
    DatasetFormat{"tokens",
                  "language-model tokens: u16 or u32 in .bin files, documents by a Megatron-LM .idx",
                  recognises_tokens,
                  open_tokens,
                  {.splits = Splits::kOfDirectory, .sequences = kTokenSequences}},
    DatasetFormat{"cifar100",
                  "CIFAR-100 binary: train.bin and test.bin, or one file",
                  recognises_cifar100,
                  open_cifar100,
                  {.splits = Splits::kOfDirectory, .coarse_labels = true}},
    DatasetFormat{"volume",
                  "two fields of f32 on a cubic grid, Nbody and Hydro: one HDF5 file, or two .npy files",
                  recognises_volume,
                  open_volume,
                  {.splits = Splits::kOne, .accesses = kBoxAccess, .stored_in_hdf5 = is_hdf5}},
    DatasetFormat{"hdf5",
                  "HDF5: a dataset of u8 images and one of labels; contiguous or in chunks, plain or gzip",
                  recognises_hdf5,
                  open_hdf5,
                  {.splits = Splits::kOne, .named_datasets = true, .accesses = kEveryHdf5Access}},
    DatasetFormat{"npy",
                  "NumPy: u8 images and labels, images.npy and labels.npy or an .npz of both",
                  recognises_npy,
                  open_npy,
                  {.splits = Splits::kOfArchive, .inflated_bytes = inflated_npz_bytes}},
    DatasetFormat{"webdataset",
                  "WebDataset: tar shards of encoded images, key.jpg or key.png with key.cls or key.json",
                  recognises_webdataset,
                  open_webdataset,
                  {.splits = Splits::kOfDirectory}},
    DatasetFormat{"tfrecord",
                  "TFRecord: shards of tf.train.Example with encoded images and checked checksums",
                  recognises_tfrecord,
                  open_tfrecord,
                  {.splits = Splits::kOfDirectory}},
    DatasetFormat{"image-folder",
                  "one directory per class, one file per photograph: JPEG, and what OpenCV reads",
                  recognises_image_folder,
                  open_image_folder,
                  {.splits = Splits::kOfDirectory, .file_reads = true}},
    DatasetFormat{"text",
                  "text to tokenise: one document per line, JSON lines, or one document per file",
                  recognises_text,
                  open_text,
                  {.splits = Splits::kOfDirectory, .sequences = kTextSequences}},
};

// Only the options of the workload `tokens` do.
bool ask_for_tokens(const DatasetOptions& options) {
  return options.sequence_length > 0 && !is_of_text(options.sequences);
}

// `data convert` writes what its --format names.
std::string adding(std::string_view format) {
  return fmt::format("add --format {0} (`data convert`: --from-format {0})", format);
}

// "a/train.npz" and "a/val.npz": the splits in a directory that are datasets of their own.
std::vector<std::string> splits_in(const fs::path& path) {
  constexpr std::array<std::string_view, 3> kNames{"train", "val", "test"};
  std::vector<std::string> splits;
  if (!fs::is_directory(path)) return splits;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const fs::path& split = entry.path();
    const bool named = std::ranges::find(kNames, split.stem().string()) != kNames.end();
    if (named && std::ranges::any_of(kFormats, [&](const DatasetFormat& f) { return f.recognises(split); })) {
      splits.push_back(split.string());
    }
  }
  std::ranges::sort(splits);
  return splits;
}

// Arrays of other names than those of images: opening them says what the names are.
bool holds_arrays(const fs::path& path) {
  const auto is_array = [](const fs::path& file) { return file.extension() == ".npy" && fs::is_regular_file(file); };
  if (!fs::is_directory(path)) return is_array(path);
  return std::ranges::any_of(fs::directory_iterator(path), is_array, &fs::directory_entry::path);
}

const DatasetFormat& detect(const fs::path& path, const DatasetOptions& options) {
  refuse_unreadable("open", path);  // otherwise the first format would miss its own file in the directory
  const auto found = std::ranges::find_if(kFormats, [&](const DatasetFormat& f) { return f.recognises(path); });
  if (found != kFormats.end()) return *found;
  // Any file could hold tokens, and what ends with .bin may be of CIFAR: the name alone says too little.
  if (path.extension() == ".bin" && fs::is_regular_file(path)) {
    if (ask_for_tokens(options)) return row_named(kFormats, "format", "tokens");
    throw Error(
        fmt::format("cannot open {}: no known dataset in it; if it holds tokens, {}, otherwise name its format ({})",
                    path.string(), adding("tokens"), list_of(names_of(kFormats))));
  }
  if (fs::is_directory(path) && fs::is_empty(path)) {
    throw Error(fmt::format("cannot open {}: the directory is empty", path.string()));
  }
  if (const auto image = image_without_class(path)) {
    throw Error(
        fmt::format("cannot open {}: no known dataset in it: {} is in no directory of a class; photographs want one "
                    "directory per class, even if it is just one directory for all of them",
                    path.string(), image->string()));
  }
  if (const auto image = image_in_subdirectory(path)) {
    throw Error(
        fmt::format("cannot open {}: no known dataset in it: {} lies too deep for a class; if each directory in it is "
                    "a class, {}, otherwise give one of them or name its format ({})",
                    path.string(), image->string(), adding("image-folder"), list_of(names_of(kFormats))));
  }
  if (const auto splits = splits_in(path); !splits.empty()) {
    throw Error(fmt::format("cannot open {}: it is no dataset itself; give the path of one in it: {}", path.string(),
                            listed(splits, "or")));
  }
  if (holds_arrays(path)) return row_named(kFormats, "format", "npy");
  throw Error(fmt::format("cannot open {}: no known dataset in it; name its format ({})", path.string(),
                          list_of(names_of(kFormats))));
}

const DatasetFormat& format_of(const fs::path& path, const DatasetOptions& options) {
  return options.format == "auto" ? detect(path, options) : row_named(kFormats, "format", options.format);
}

// "random, consecutive or documents".
std::string one_of(std::span<const std::string_view> words) {
  return listed({words.begin(), words.end()}, "or");
}

// The loader that reads this way: its row in the loader table, a layer above this one, has the same access.
std::string_view hdf5_loader(Access access) {
  switch (access) {
    case Access::kMapped: return "hdf5-mmap";
    case Access::kBlocks: return "hdf5-block";
    case Access::kChunks: return "hdf5-chunk";
    case Access::kRows:
    case Access::kResident:
    case Access::kFiles:
    case Access::kUnknown: break;
  }
  return "hdf5";
}

template <typename Word, typename Name>
std::vector<std::string_view> names_by(std::span<const Word> words, const Name& name_of) {
  std::vector<std::string_view> names;
  for (const Word word : words) names.push_back(name_of(word));
  return names;
}

void check_split(const DatasetFormat& format, const fs::path& path) {
  switch (format.abilities.splits) {
    case Splits::kOfArchive:
      if (is_npz(path)) return;
      [[fallthrough]];
    case Splits::kOfDirectory:
      if (fs::is_directory(path)) return;
      throw usage_error(fmt::format("split test: {} is one file, so it has one split only", path.string()));
    case Splits::kOne:
      throw usage_error(
          fmt::format("split test: {} has one split only, as every dataset of format {} does; keep the other split "
                      "at its own path",
                      path.string(), format.name));
  }
}

void check_access(const DatasetFormat& format, const fs::path& path, Access access) {
  const DatasetAbilities& can = format.abilities;
  const bool in_hdf5 = can.stored_in_hdf5 == nullptr || can.stored_in_hdf5(path);
  if (can.accesses.empty() || !in_hdf5) {
    throw Error(
        fmt::format("cannot open {}: its format is {}, and only HDF5 can be read this way ({}); `loadline data "
                    "convert` makes a copy in HDF5",
                    path.string(), format.name, name(access)));
  }
  if (std::ranges::find(can.accesses, access) == can.accesses.end()) {
    throw Error(fmt::format("cannot open {}: its format is {}, which cannot be read this way ({}): use --loader {}",
                            path.string(), format.name, name(access), one_of(names_by(can.accesses, hdf5_loader))));
  }
}

}  // namespace

std::string_view name(FileRead read) {
  switch (read) {
    case FileRead::kPread: return "pread";
    case FileRead::kMmap: return "mmap";
    case FileRead::kUring: return "uring";
  }
  return "";
}

std::span<const DatasetFormat> dataset_formats() {
  return kFormats;
}

void check_abilities(const DatasetFormat& format, const fs::path& path, const DatasetOptions& options) {
  const DatasetAbilities& can = format.abilities;
  const DatasetOptions standard;
  if (options.access) check_access(format, path, *options.access);
  if (!can.named_datasets &&
      (options.hdf5_images != standard.hdf5_images || options.hdf5_labels != standard.hdf5_labels)) {
    throw usage_error(
        fmt::format("--hdf5-images and --hdf5-labels: they are for format hdf5, but the format of {} is {}",
                    path.string(), format.name));
  }
  if (!can.file_reads && options.read != standard.read) {
    throw usage_error(fmt::format("--read {}: {} is not an image folder; its format is {}", name(options.read),
                                  path.string(), format.name));
  }
  if (!can.coarse_labels && options.labels == LabelKind::kCoarse) {
    std::vector<std::string_view> others;
    for (const DatasetFormat& one : kFormats) {
      if (one.abilities.coarse_labels) others.push_back(one.name);
    }
    throw usage_error(fmt::format("coarse labels: {} has none, only {} does", path.string(), one_of(others)));
  }
  if (options.split != standard.split) check_split(format, path);
  if (!can.sequences.empty() && options.sequence_length > 0 &&
      std::ranges::find(can.sequences, options.sequences) == can.sequences.end()) {
    throw usage_error(fmt::format("{} holds {}, whose sequences are {}, not {}; use --workload {}", path.string(),
                                  format.name, one_of(names_by(can.sequences, [](Sequences one) { return name(one); })),
                                  name(options.sequences), format.name));
  }
}

std::unique_ptr<Dataset> open_dataset(const fs::path& path, const DatasetOptions& options) {
  if (path.empty()) throw usage_error("cannot open the dataset: its path is empty");
  try {
    if (!fs::exists(path)) throw Error(fmt::format("cannot open {}: no such file or directory", path.string()));
    if (!fs::is_directory(path)) refuse_other_than_file("open", path);
    if (options.format == kScriptFormat) return open_script(path);
    const DatasetFormat& format = format_of(path, options);
    check_abilities(format, path, options);
    auto dataset = format.open(path, options);
    const bool labelled = dataset->info().labelled();  // the others did this while opening
    const bool placed = dataset->info().access == Access::kResident && (options.memory.nodes.empty() || !labelled);
    if (!options.in_memory || placed) return dataset;
    return copy_to_memory(*dataset, std::numeric_limits<std::size_t>::max(), options.memory);
  } catch (const fs::filesystem_error& error) {
    throw Error(fmt::format("cannot open {}: {}", error.path1().string(), error.code().message()));
  }
}

std::uint64_t resident_bytes(const fs::path& path, const DatasetOptions& options) {
  try {
    const bool placed = options.in_memory && !options.memory.nodes.empty();
    const std::size_t copies = options.memory.copies();
    if (options.format != kScriptFormat && fs::exists(path)) {
      const auto inflated_bytes = format_of(path, options).abilities.inflated_bytes;
      const auto inflated = inflated_bytes != nullptr ? inflated_bytes(path, options) : std::nullopt;
      if (inflated) return placed ? *inflated * (1 + copies) : *inflated;
    }
    if (!options.in_memory) return 0;
    DatasetOptions in_files = options;
    in_files.in_memory = false;
    return open_dataset(path, in_files)->info().all_bytes() * copies;
  } catch (const Error&) {
    return 0;
  } catch (const fs::filesystem_error&) {
    return 0;
  }
}

}  // namespace loadline
