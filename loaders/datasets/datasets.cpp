#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/formats.h"
#include "loaders/datasets/memory.h"
#include "loaders/datasets/script.h"
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

void check_sample(const Dataset& dataset, const SampleReader& reader, SampleIndex index) {
  try {
    reader.check(index);
  } catch (const Error& error) {
    throw Error(fmt::format("cannot read {} (sample {}): {}", dataset.describe(index), index, error.what()));
  }
}

}  // namespace

std::string_view name(Access access) {
  switch (access) {
    case Access::kMapped: return "mapped";
    case Access::kResident: return "resident";
    case Access::kRows: return "hdf5-rows";
    case Access::kBlocks: return "hdf5-blocks";
    case Access::kChunks: return "hdf5-chunks";
    case Access::kFiles: return "files";
    case Access::kUnknown: return "unknown";
  }
  return "";
}

std::string_view name(FileRead read) {
  switch (read) {
    case FileRead::kPread: return "pread";
    case FileRead::kMmap: return "mmap";
    case FileRead::kUring: return "uring";
  }
  return "";
}

std::string_view stored_type(const DatasetInfo& info) {
  if (info.volume) return "f32";
  if (!info.tokens) return "u8";
  return info.tokens->token_bytes == 2 ? "u16" : "u32";
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

std::string Dataset::describe(SampleIndex index) const {
  return fmt::format("sample {} of {}", index, info_.files.empty() ? info_.format : info_.files.front().string());
}

class AddressableDataset::Locator final : public SampleReader {
 public:
  explicit Locator(const AddressableDataset& dataset) : dataset_(dataset) {}
  void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
    dataset_.locate(indices, out);
  }

 private:
  const AddressableDataset& dataset_;
};

std::unique_ptr<SampleReader> AddressableDataset::make_reader(std::size_t /*most*/) const {
  return std::make_unique<Locator>(*this);
}

bool Dataset::visit(const std::function<bool(StoredSample)>& visitor) const {
  // Enough at a time for a format that stores samples in blocks to read each block once or twice.
  constexpr std::size_t kAtATime = 256;
  std::array<SampleIndex, kAtATime> indices{};
  std::array<StoredSample, kAtATime> samples{};
  const auto reader = make_reader(kAtATime);
  for (std::size_t first = 0; first < info().samples; first += kAtATime) {
    const std::size_t count = std::min(kAtATime, info().samples - first);
    std::iota(indices.begin(), indices.end(), static_cast<SampleIndex>(first));
    reader->read(std::span(indices).first(count), std::span(samples).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      check_sample(*this, *reader, indices[i]);
      if (!visitor(samples[i])) return false;
    }
    check_intact();
  }
  return true;
}

void Dataset::check_stored_labels(std::span<const SampleIndex> indices, std::span<const std::int32_t> labels) const {
  labels_.check_intact();
  std::uint32_t highest = 0;
  for (const std::int32_t label : labels) highest = std::max(highest, static_cast<std::uint32_t>(label));
  if (highest < info_.classes) return;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (static_cast<std::uint32_t>(labels[i]) < info_.classes) continue;
    throw Error(fmt::format("cannot read {}: its label {} is out of range, want 0 to {}", describe(indices[i]),
                            labels[i], info_.classes - 1));
  }
}

void ask_for_samples(const Dataset& dataset, std::span<const SampleIndex> indices, PagesAhead& pages) {
  constexpr std::size_t kAtATime = 64;
  std::array<StoredSample, kAtATime> samples;
  for (; !indices.empty(); indices = indices.subspan(std::min(kAtATime, indices.size()))) {
    const auto some = indices.first(std::min(kAtATime, indices.size()));
    const auto found = std::span(samples).first(some.size());
    if (!dataset.find_mapped(some, found)) return;
    for (const StoredSample& sample : found) {
      if (!sample.empty()) pages.ask(sample);
    }
  }
}

std::optional<std::size_t> files_looked_at(const FileNames& files) {
  return files.size() > kMostFilesLookedAt ? std::optional(kFilesLookedAt) : std::nullopt;
}

Residency page_cache_residency(const FileNames& files) {
  Residency sum;
  if (const auto most = files_looked_at(files)) {
    for (const fs::path& file : evenly_spread(files, *most)) sum += page_cache_residency(file);
  } else {
    for (const fs::path& file : files) sum += page_cache_residency(file);
  }
  return sum;
}

Residency page_cache_residency(const Dataset& dataset) {
  return page_cache_residency(dataset.info().files);
}

}  // namespace loadline
