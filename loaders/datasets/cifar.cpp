#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "loaders/datasets/formats.h"
#include "loaders/error.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr ImageShape kShape{.channels = 3, .height = 32, .width = 32};
constexpr std::size_t kImageBytes = 3 * 32 * 32;

struct LabelByte {
  std::string_view name;
  std::size_t offset;  // in the record
  std::size_t classes;
};

struct Record {
  std::string_view format;
  std::size_t label_bytes;
  std::vector<LabelByte> labels;  // all of them are checked; the first is `fine`

  std::size_t size_bytes() const { return label_bytes + kImageBytes; }
};

const Record& cifar10_record() {
  static const Record kRecord{"cifar10", 1, {{"label", 0, 10}}};
  return kRecord;
}

const Record& cifar100_record() {
  static const Record kRecord{"cifar100", 2, {{"fine label", 1, 100}, {"coarse label", 0, 20}}};
  return kRecord;
}

constexpr std::string_view kBatchBegins = "data_batch_";
constexpr std::string_view kBatchEnds = ".bin";

bool is_batch_name(const std::string& name) {
  return name.size() > kBatchBegins.size() + kBatchEnds.size() && name.starts_with(kBatchBegins) &&
         name.ends_with(kBatchEnds);
}

// In the order of their numbers.
std::vector<fs::path> training_batches(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (is_batch_name(entry.path().filename().string())) files.push_back(entry.path());
  }
  const auto by_number = [](const fs::path& path) {
    const std::string name = path.filename().string();
    return std::pair(name.size(), name);
  };
  std::ranges::sort(files, {}, by_number);
  return files;
}

// The published batches are data_batch_1 to data_batch_5; there may be more, but none may be missing between them.
void check_numbers(const fs::path& directory, const std::vector<fs::path>& batches) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const std::string wanted = fmt::format("{}{}{}", kBatchBegins, i + 1, kBatchEnds);
    const std::string name = batches[i].filename().string();
    if (name == wanted) continue;
    throw Error(fmt::format("cannot open {}: it has {} but no {}", directory.string(), name, wanted));
  }
}

std::vector<fs::path> files_of(const Record& record, const fs::path& path, Split split) {
  if (!fs::is_directory(path)) return {path};
  const bool is_cifar10 = record.format == "cifar10";
  std::vector<fs::path> files;
  if (split == Split::kTrain && is_cifar10) {
    files = training_batches(path);
    if (files.empty()) throw Error(fmt::format("cannot open {}: no data_batch_*.bin in it", path.string()));
    check_numbers(path, files);
    return files;
  }
  const fs::path file = path / (split == Split::kTrain ? "train.bin" : is_cifar10 ? "test_batch.bin" : "test.bin");
  if (!fs::exists(file)) throw Error(fmt::format("cannot open {}: no such file", file.string()));
  return {file};
}

std::shared_ptr<const MappedFile> map_records(const Record& record, const fs::path& path) {
  auto file = std::make_shared<const MappedFile>(path);
  const std::size_t size = file->bytes().size();
  if (size == 0) throw Error(fmt::format("cannot open {}: it holds no samples", path.string()));
  if (size % record.size_bytes() != 0) {
    throw Error(fmt::format("cannot open {}: {} bytes are not a whole number of {} records of {} bytes ({} bytes over)",
                            path.string(), size, record.format, record.size_bytes(), size % record.size_bytes()));
  }
  return file;
}

class CifarDataset final : public AddressableDataset {
 public:
  CifarDataset(DatasetInfo info, Labels labels, const Record& record,
               std::vector<std::shared_ptr<const MappedFile>> files)
      : AddressableDataset(std::move(info), std::move(labels)),
        record_bytes_(record.size_bytes()),
        files_(std::move(files)) {
    std::size_t first = 0;
    for (const auto& file : files_) {
      parts_.push_back({first, file->bytes().data() + record.label_bytes});
      first += file->bytes().size() / record_bytes_;
    }
  }

  void locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const override {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      // There are few files and access is random: counting costs less than a mispredicted search.
      std::size_t part = 0;
      for (std::size_t k = 1; k < parts_.size(); ++k) part += indices[i] >= parts_[k].first ? 1 : 0;
      out[i] = {parts_[part].image + (indices[i] - parts_[part].first) * record_bytes_, kImageBytes};
    }
  }

  void check_intact() const override {
    for (const auto& file : files_) file->check_intact();
  }

  void check_files() const override {
    for (const auto& file : files_) file->check_size();
  }

  std::vector<MappedBytes> mapped_files() const override {
    std::vector<MappedBytes> mapped;
    for (const auto& file : files_) mapped.push_back(file->bytes());
    return mapped;
  }

 private:
  void forget_samples() const override {
    for (const auto& file : files_) file->forget_pages();
  }

  struct Part {
    std::size_t first;       // sample
    const std::byte* image;  // of that sample
  };

  std::size_t record_bytes_;
  std::vector<std::shared_ptr<const MappedFile>> files_;
  std::vector<Part> parts_;
};

void append_labels(const MappedFile& file, const Record& record, const LabelByte& wanted,
                   std::vector<std::int32_t>& labels) {
  const auto bytes = file.bytes();
  for (std::size_t at = 0; at < bytes.size(); at += record.size_bytes()) {
    for (const LabelByte& label : record.labels) {
      const auto value = std::to_integer<std::size_t>(bytes[at + label.offset]);
      if (value < label.classes) continue;
      throw Error(fmt::format("cannot open {}: {} {} of sample {} is out of range, want 0 to {}", file.path().string(),
                              label.name, value, at / record.size_bytes(), label.classes - 1));
    }
    labels.push_back(std::to_integer<std::int32_t>(bytes[at + wanted.offset]));
  }
  file.check_intact();
}

Labels labels_of_records(const Record& record, const LabelByte& wanted, std::size_t samples,
                         const std::vector<std::shared_ptr<const MappedFile>>& files) {
  if (samples > kMostLabelsRead) {
    std::vector<Labels::Stored> parts;
    std::size_t first = 0;
    for (const auto& file : files) {
      parts.push_back({.first = first, .at = file->bytes().data() + wanted.offset});
      first += file->bytes().size() / record.size_bytes();
    }
    return {std::move(parts), {.stride = record.size_bytes()}, samples, files};
  }
  std::vector<std::int32_t> labels;
  labels.reserve(samples);
  for (const auto& file : files) append_labels(*file, record, wanted, labels);
  return labels;
}

std::unique_ptr<Dataset> open_records(const Record& record, const fs::path& path, const DatasetOptions& options) {
  const LabelByte& wanted = record.labels[options.labels == LabelKind::kCoarse ? 1 : 0];
  DatasetInfo info{.format = std::string(record.format), .shape = kShape, .classes = wanted.classes};
  info.files = files_of(record, path, options.split);
  std::vector<std::shared_ptr<const MappedFile>> files;
  for (const fs::path& name : info.files) {
    files.push_back(map_records(record, name));
    info.stored_bytes += files.back()->bytes().size();
  }
  info.samples = info.stored_bytes / record.size_bytes();
  Labels labels = labels_of_records(record, wanted, info.samples, files);
  return std::make_unique<CifarDataset>(std::move(info), std::move(labels), record, std::move(files));
}

// A single file is recognised by its size; sizes that are multiples of both records go to neither.
bool is_file_of(const Record& record, const Record& other, const fs::path& path) {
  if (path.extension() != ".bin" || !fs::is_regular_file(path)) return false;
  const auto size = fs::file_size(path);
  return size > 0 && size % record.size_bytes() == 0 && size % other.size_bytes() != 0;
}

}  // namespace

bool recognises_cifar10(const fs::path& path) {
  // Tokens may have such a size by chance.
  if (!fs::is_directory(path)) {
    return is_file_of(cifar10_record(), cifar100_record(), path) && !recognises_tokens(path);
  }
  return fs::exists(path / "test_batch.bin") || !training_batches(path).empty();
}

bool recognises_cifar100(const fs::path& path) {
  if (!fs::is_directory(path)) return is_file_of(cifar100_record(), cifar10_record(), path);
  return fs::exists(path / "train.bin") || fs::exists(path / "test.bin");
}

std::unique_ptr<Dataset> open_cifar10(const fs::path& path, const DatasetOptions& options) {
  return open_records(cifar10_record(), path, options);
}

std::unique_ptr<Dataset> open_cifar100(const fs::path& path, const DatasetOptions& options) {
  return open_records(cifar100_record(), path, options);
}

}  // namespace loadline
