#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/image_extents.h"
#include "loaders/datasets/labels.h"
#include "loaders/datasets/strided.h"
#include "loaders/error.h"
#include "loaders/listed.h"
#include "loaders/storage/file.h"
#include "loaders/storage/mapping.h"
#include "loaders/storage/npy.h"
#include "loaders/storage/zip.h"
#include "loaders/system/memory.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

Error npy_refusal(const std::string& shown, const std::string& why) {
  return Error(fmt::format("cannot open {}: {}", shown, why));
}

// The array names of NumPy users, Keras and MedMNIST.
struct ArrayNames {
  std::string_view images;
  std::string_view labels;
};
constexpr std::array kTrainNames{ArrayNames{"images", "labels"}, ArrayNames{"train_images", "train_labels"},
                                 ArrayNames{"x_train", "y_train"}};
constexpr std::array kTestNames{ArrayNames{"test_images", "test_labels"}, ArrayNames{"x_test", "y_test"}};

std::span<const ArrayNames> names_of_split(Split split) {
  return split == Split::kTrain ? std::span<const ArrayNames>(kTrainNames) : std::span<const ArrayNames>(kTestNames);
}

// What a file of images and the one of its labels are called. nullopt: this is no file of images.
std::optional<ArrayNames> names_of_file(const fs::path& path) {
  if (path.extension() != ".npy") return std::nullopt;
  for (const Split split : {Split::kTrain, Split::kTest}) {
    const auto names = names_of_split(split);
    const auto found = std::ranges::find(names, path.stem().string(), &ArrayNames::images);
    if (found != names.end()) return *found;
  }
  return std::nullopt;
}

// One array: its file's bytes and what its header says.
struct NpyArray {
  std::string shown;  // for messages: "a/images.npy", "a.npz: images.npy"
  std::shared_ptr<const MappedFile> file;
  std::optional<HugeMemory> inflated;
  std::span<const std::byte> content;  // of the whole .npy
  NpyFacts facts;

  std::span<const std::byte> values() const { return content.subspan(facts.offset_bytes); }
};

void read_facts(NpyArray& array) {
  array.facts = npy_facts_in(array.content, array.content.size(), array.shown);
  if (array.facts.column_major)
    throw npy_refusal(array.shown, "its array is in column-major (Fortran) order, want row-major");
}

// The two arrays of a split in a directory of .npy files or in an .npz, or a file of images and the one of its labels.
class NpyFiles {
 public:
  NpyFiles(const fs::path& path, Split split) : path_(path), one_file_(!fs::is_directory(path)) {
    if (is_npz(path)) {
      archive_ = std::make_shared<const MappedFile>(path);
      entries_ = zip_entries(archive_->bytes(), path.string());
      one_file_ = false;
    }
    found_ = one_file_ ? names_of_path() : names_in(split);
    if (has(found_.labels)) return;
    throw npy_refusal(path.string(), one_file_ ? fmt::format("its labels are missing, want {}.npy", found_.labels)
                                               : fmt::format("it contains {}.npy but not the labels, {}.npy",
                                                             found_.images, found_.labels));
  }

  NpyArray images() const { return open(found_.images); }
  NpyArray labels() const { return open(found_.labels); }
  std::vector<fs::path> files() const {
    if (archive_) return {path_};
    return {place(found_.images), place(found_.labels)};
  }
  // Deflated arrays are checked as they are inflated. Throws Error naming the archive and the array.
  void verify_checksums() const {
    if (!archive_) return;
    for (const std::string_view name : {found_.images, found_.labels}) {
      const ZipEntry& array = *entry(name);
      const bool sound = array.deflated || matches_checksum(archive_->bytes(), array);
      archive_->check_intact();
      if (!sound) throw npy_refusal(path_.string(), fmt::format("'{}' in it is corrupt", array.name));
    }
  }
  // Bytes that opening the images inflates into memory; nullopt if they are stored uncompressed.
  std::optional<std::uint64_t> inflated_bytes() const {
    if (!archive_) return std::nullopt;
    const ZipEntry& images = *entry(found_.images);
    return images.deflated ? std::optional(images.bytes) : std::nullopt;
  }

 private:
  ArrayNames names_of_path() const {
    if (const auto names = names_of_file(path_)) return *names;
    std::vector<std::string> wanted;
    for (const Split split : {Split::kTrain, Split::kTest}) {
      for (const ArrayNames& one : names_of_split(split)) wanted.push_back(fmt::format("{}.npy", one.images));
    }
    throw npy_refusal(path_.string(), fmt::format("want a directory, an .npz or a file of images: {}, with its labels "
                                                  "next to it",
                                                  listed(wanted, "or")));
  }
  ArrayNames names_in(Split split) const {
    const auto names = names_of_split(split);
    const auto found = std::ranges::find_if(names, [&](const ArrayNames& one) { return has(one.images); });
    if (found != names.end()) return *found;
    std::string wanted;
    for (const ArrayNames& one : names) wanted += fmt::format("{}{}.npy", wanted.empty() ? "" : ", ", one.images);
    constexpr std::size_t kMostShown = 8;
    const std::vector<std::string> there = arrays_there();
    const bool shown = !there.empty() && there.size() <= kMostShown;
    throw npy_refusal(path_.string(), fmt::format("it contains none of {}{}", wanted,
                                                  shown ? fmt::format(", only {}", listed(there)) : ""));
  }
  std::vector<std::string> arrays_there() const {
    std::vector<std::string> names;
    for (const ZipEntry& one : entries_) names.push_back(one.name);
    if (archive_) return names;
    for (const fs::directory_entry& one : fs::directory_iterator(path_)) {
      if (one.path().extension() == ".npy") names.push_back(one.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }
  fs::path place(std::string_view name) const {
    return (one_file_ ? path_.parent_path() : path_) / fmt::format("{}.npy", name);
  }
  const ZipEntry* entry(std::string_view name) const {
    const auto found = std::ranges::find(entries_, fmt::format("{}.npy", name), &ZipEntry::name);
    return found == entries_.end() ? nullptr : &*found;
  }
  bool has(std::string_view name) const { return archive_ ? entry(name) != nullptr : fs::is_regular_file(place(name)); }

  NpyArray open(std::string_view name) const {
    NpyArray array;
    if (!archive_) {
      array.shown = place(name).string();
      array.file = std::make_shared<const MappedFile>(place(name));
      array.content = array.file->bytes();
    } else {
      const ZipEntry& found = *entry(name);
      array.shown = fmt::format("{}: {}", path_.string(), found.name);
      array.file = archive_;
      if (found.deflated) {
        array.inflated.emplace(inflate_zip_entry(archive_->bytes(), found, path_.string()));
        array.content = std::as_const(*array.inflated).bytes();
      } else {
        array.content = archive_->bytes().subspan(found.offset, found.bytes);
      }
    }
    read_facts(array);
    return array;
  }

  const fs::path& path_;
  bool one_file_;  // the images alone
  ArrayNames found_;
  std::shared_ptr<const MappedFile> archive_;  // null: separate files
  std::vector<ZipEntry> entries_;
};

// ---- images

// The description of the images, but for their labels and files.
DatasetInfo described(const NpyArray& array) {
  const auto& extents = array.facts.extents;
  const auto fail = [&](const std::string& why) {
    return npy_refusal(array.shown, fmt::format("its array has extents {}{}", fmt::join(extents, " x "), why));
  };
  if (array.facts.dtype != "|u1" && array.facts.dtype != "u1") {
    throw npy_refusal(array.shown, fmt::format("its values are '{}', want '|u1' (u8)", array.facts.dtype));
  }
  if (extents.size() != 3 && extents.size() != 4) {
    throw fail(", want N x H x W x C, N x C x H x W or N x H x W");
  }
  if (no_images(extents)) throw fail(": it holds no samples");
  if (too_many_images(extents)) throw fail(", more than loadline can read");
  if (extents.size() == 4) {
    const bool first = extents[1] <= kMostChannels;
    const bool last = extents[3] <= kMostChannels;
    if (first == last) {
      throw fail(first ? ": channels may come first or last, and nothing says which"
                       : ": neither the second nor the last is a number of channels from 1 to 4");
    }
  }
  const ImageOrder order = image_order(extents);
  DatasetInfo info{.format = "npy", .samples = extents[0], .shape = order.shape, .channels_last = order.channels_last};
  if (const std::size_t wanted = info.samples * info.sample_bytes(); array.values().size() != wanted) {
    throw fail(fmt::format(" = {} bytes, the file has {} (truncated or corrupt)", wanted, array.values().size()));
  }
  return info;
}

// ---- labels

std::vector<std::int32_t> npy_labels(const NpyArray& array, std::size_t samples) {
  const auto& extents = array.facts.extents;
  const bool fits = (extents.size() == 1 || (extents.size() == 2 && extents[1] == 1)) && extents[0] == samples;
  if (!fits) {
    throw npy_refusal(array.shown, fmt::format("its array has extents {}, want one label for each of the {} images",
                                               fmt::join(extents, " x "), samples));
  }
  const std::string& dtype = array.facts.dtype;
  const std::size_t width = dtype.size() == 3 ? static_cast<std::size_t>(dtype[2] - '0') : 0;
  const bool whole = dtype.size() == 3 && (dtype[1] == 'u' || dtype[1] == 'i') &&
                     (width == 1 ? dtype[0] != '>' : dtype[0] == '<' && (width == 2 || width == 4 || width == 8));
  if (!whole)
    throw npy_refusal(array.shown, fmt::format("its values are '{}', want whole numbers, little-endian", dtype));
  if (array.values().size() != samples * width) {
    throw npy_refusal(array.shown, fmt::format("it has {} bytes of labels, want {} (truncated or corrupt)",
                                               array.values().size(), samples * width));
  }
  std::vector<std::int32_t> labels;
  labels.reserve(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, array.values().data() + i * width, width);
    // A negative label has its highest bit set and so is larger than any class.
    const bool negative = dtype[1] == 'i' && (value >> (8 * width - 1) & 1U) != 0;
    if (negative || value >= static_cast<std::uint64_t>(kMostClasses)) {
      const std::uint64_t above = width < 8 ? ~std::uint64_t{0} << (8 * width) : 0;
      const std::string shown =
          negative ? fmt::format("{}", static_cast<std::int64_t>(value | above)) : fmt::format("{}", value);
      throw npy_refusal(array.shown,
                        fmt::format("label {} of sample {} is out of range, want 0 to {}", shown, i, kMostClasses - 1));
    }
    labels.push_back(static_cast<std::int32_t>(value));
  }
  return labels;
}

}  // namespace

bool is_npz(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return false;
  if (path.extension() == ".npz") return true;
  if (!fs::is_regular_file(path, ignored)) return false;
  constexpr std::string_view kFirstEntry = "PK\3\4";
  std::array<char, kFirstEntry.size()> begin{};
  const std::size_t bytes = File::open(path).read_once(0, std::as_writable_bytes(std::span(begin)));
  return std::string_view(begin.data(), bytes) == kFirstEntry;
}

bool recognises_npy(const fs::path& path) {
  if (!fs::is_directory(path)) return is_npz(path) || names_of_file(path);
  return std::ranges::any_of(kTrainNames, [&](const ArrayNames& names) {
    return fs::is_regular_file(path / fmt::format("{}.npy", names.images));
  });
}

std::optional<std::uint64_t> inflated_npz_bytes(const fs::path& path, const DatasetOptions& options) {
  if (!is_npz(path)) return std::nullopt;
  return NpyFiles(path, options.split).inflated_bytes();
}

std::unique_ptr<Dataset> open_npy(const fs::path& path, const DatasetOptions& options) {
  const NpyFiles files(path, options.split);
  if (options.verify_checksums) files.verify_checksums();
  NpyArray images = files.images();
  DatasetInfo info = described(images);
  info.files = files.files();
  const NpyArray stored_labels = files.labels();
  auto labels = npy_labels(stored_labels, info.samples);
  stored_labels.file->check_intact();
  info.classes = class_count(labels);
  for (const fs::path& file : info.files) info.stored_bytes += fs::file_size(file);
  if (images.inflated) {
    return std::make_unique<StridedDataset>(std::move(info), std::move(labels), std::move(*images.inflated),
                                            images.facts.offset_bytes);
  }
  const std::byte* first = images.values().data();
  return std::make_unique<StridedDataset>(std::move(info), std::move(labels), std::move(images.file), first);
}

}  // namespace loadline
