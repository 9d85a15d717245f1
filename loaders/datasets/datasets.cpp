#include "loaders/datasets/datasets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/memory.h"
#include "loaders/datasets/script.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFormats{
    DatasetFormat{"idx", "MNIST family: images and labels in IDX files, plain or .gz", recognises_idx, open_idx},
    DatasetFormat{"cifar10", "CIFAR-10 binary: data_batch_*.bin and test_batch.bin, or one file", recognises_cifar10,
                  open_cifar10},
    DatasetFormat{"tokens", "tokens of a language model: u16 or u32 in .bin files, documents by an .idx of Megatron-LM",
                  recognises_tokens, open_tokens},
    DatasetFormat{"cifar100", "CIFAR-100 binary: train.bin and test.bin, or one file", recognises_cifar100,
                  open_cifar100},
    DatasetFormat{"volume", "two fields of f32 on a cubic grid, Nbody and Hydro: one HDF5 file, or two .npy files",
                  recognises_volume, open_volume},
    DatasetFormat{"hdf5", "HDF5: a dataset of u8 images and one of labels; in one piece, or in chunks, plain or gzip",
                  recognises_hdf5, open_hdf5},
    DatasetFormat{"npy", "NumPy: u8 images and labels, images.npy and labels.npy or an .npz of both", recognises_npy,
                  open_npy},
    DatasetFormat{"webdataset",
                  "WebDataset: tar shards of encoded images, key.jpg or key.png beside key.cls or key.json",
                  recognises_webdataset, open_webdataset},
    DatasetFormat{"tfrecord", "TFRecord: shards of tf.train.Example with encoded images, their checksums checked",
                  recognises_tfrecord, open_tfrecord},
    DatasetFormat{"image-folder", "one directory a class, one file a photograph: JPEG, and what OpenCV reads",
                  recognises_image_folder, open_image_folder},
    DatasetFormat{"text", "text to make tokens of: a document a line, JSON lines, or a file a document",
                  recognises_text, open_text},
};

const DatasetFormat& detect(const fs::path& path) {
  const auto found = std::ranges::find_if(kFormats, [&](const DatasetFormat& f) { return f.recognises(path); });
  if (found != kFormats.end()) return *found;
  if (fs::is_directory(path) && fs::is_empty(path)) {
    throw Error(fmt::format("cannot open {}: the directory is empty", path.string()));
  }
  throw Error(fmt::format("cannot open {}: no known dataset in it; name its format ({})", path.string(),
                          list_of(names_of(kFormats))));
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

std::unique_ptr<Dataset> open_dataset(const fs::path& path, const DatasetOptions& options) {
  try {
    if (!fs::exists(path)) throw Error(fmt::format("cannot open {}: no such file or directory", path.string()));
    if (!fs::is_directory(path)) refuse_other_than_file("open", path);
    if (options.format == kScriptFormat) return open_script(path);
    const DatasetFormat& format =
        options.format == "auto" ? detect(path) : row_named(kFormats, "format", options.format);
    if (options.access && format.name != "hdf5" && !(format.name == "volume" && has_hdf5_name(path))) {
      throw Error(
          fmt::format("cannot open {}: its format is {}, and only HDF5 can be read this way ({}); `loadline data "
                      "convert` makes a copy in HDF5",
                      path.string(), format.name, name(*options.access)));
    }
    if (const DatasetOptions standard; format.name != "hdf5" && (options.hdf5_images != standard.hdf5_images ||
                                                                 options.hdf5_labels != standard.hdf5_labels)) {
      throw usage_error(fmt::format("--hdf5-images and --hdf5-labels: {} is not an HDF5 file; its format is {}",
                                    path.string(), format.name));
    }
    if (options.read != FileRead::kPread && format.name != "image-folder") {
      throw usage_error(fmt::format("--read {}: {} is not an image folder; its format is {}", name(options.read),
                                    path.string(), format.name));
    }
    auto dataset = format.open(path, options);
    const bool labelled = dataset->info().labelled();  // the others have seen to it
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
    auto inflated = inflated_idx_bytes(path, options);
    if (!inflated) inflated = inflated_npz_bytes(path, options);
    if (inflated) return placed ? *inflated * (1 + copies) : *inflated;
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
