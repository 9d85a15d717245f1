#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/image_listing.h"
#include "loaders/datasets/ordered_reads.h"
#include "loaders/error.h"
#include "loaders/storage/file_arrivals.h"
#include "loaders/storage/file_queue.h"
#include "loaders/storage/file_ring.h"
#include "loaders/storage/files_ahead.h"
#include "loaders/storage/mapping.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// ImageNet's directories of both splits, or one split's classes themselves.
fs::path split_directory(const fs::path& path, Split split) {
  if (!fs::is_directory(path / "train")) {
    if (split == Split::kTrain) return path;
    throw usage_error(
        fmt::format("split test: {} has no directories train and val, so it has one split only", path.string()));
  }
  if (split == Split::kTrain) return path / "train";
  for (const char* name : {"val", "test"}) {
    if (fs::is_directory(path / name)) return path / name;
  }
  throw Error(fmt::format("cannot open {}: neither val nor test is in it", path.string()));
}

fs::path training_part(const fs::path& path) {
  return fs::is_directory(path / "train") ? path / "train" : path;
}

std::optional<fs::path> any_image(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (is_image_name(entry.path().filename().native())) return entry.path();
  }
  return std::nullopt;
}

// Maps whole files; the decoder decides what is read.
class MappingReader final : public SampleReader {
 public:
  MappingReader(const FileNames& files, std::size_t most) : files_(files), mapped_(most) {}

  void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const InStage opening(WorkerStage::kOpen);
      // Unmapped before the next one is mapped, so that its address range is free.
      if (const auto last = std::move(mapped_[i])) last->check_intact();
      mapped_[i] = std::make_unique<MappedFile>(files_[indices[i]]);
      out[i] = mapped_[i]->bytes();
    }
  }

  // A file that broke under a failed batch must not fail the next one.
  void announce(std::span<const SampleIndex> /*indices*/) override {
    for (auto& file : mapped_) file.reset();
  }

  void check_intact() const override {
    for (const auto& file : mapped_) {
      if (file) file->check_intact();
    }
  }

 private:
  const FileNames& files_;
  std::vector<std::unique_ptr<MappedFile>> mapped_;
};

// A folder's files, with their lengths when it was opened.
struct Files {
  const FileNames& names;
  std::span<const std::size_t> bytes;
};

// Keeps many files in flight before the first of them is needed.
template <typename Queue>
class AnnouncedReader : public SampleReader {
 public:
  template <typename... Arguments>
  AnnouncedReader(const Files& files, std::size_t most, Arguments&&... arguments)
      : files_(files), queue_(std::forward<Arguments>(arguments)...), copies_(most > 1 ? most : 0) {}

  void announce(std::span<const SampleIndex> indices) final {
    announced_ = {};
    queue_.clear();
    announced_ = indices;
  }

  void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) final {
    if (indices.size() == 1) {
      out[0] = read_one(indices[0]);
      return;
    }
    announce(indices);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto bytes = read_one(indices[i]);
      copies_[i].assign(bytes.begin(), bytes.end());
      out[i] = copies_[i];
    }
  }

 private:
  virtual void push(SampleIndex index, const std::string& path) = 0;
  // The first of the queue is the next one to be taken.
  virtual void note_queue() {}

  std::span<const std::byte> read_one(SampleIndex index) {
    // Those in flight are the first of `announced_`.
    const bool as_announced = !announced_.empty() && announced_.front() == index;
    if (!as_announced) announce({&index, 1});
    while (queue_.size() < std::min(queue_.capacity(), announced_.size())) {
      const SampleIndex next = announced_[queue_.size()];
      push(next, files_.names.path(next, path_));
    }
    announced_ = announced_.subspan(1);
    note_queue();
    return queue_.take();
  }

 protected:
  Files files_;
  Queue queue_;

 private:
  std::string path_;                            // of the next one
  std::span<const SampleIndex> announced_;      // and not read yet
  std::vector<std::vector<std::byte>> copies_;  // if several are needed at a time
};

class AheadReader final : public AnnouncedReader<FilesAhead> {
 public:
  AheadReader(const Files& files, std::size_t most, OpenFileAllowance& allowance)
      : AnnouncedReader(files, most, kFilesAhead, allowance) {
    fetched_path_.reserve(kUsualPathBytes);
  }

  bool can_fetch() const override { return true; }
  void fetch(std::span<const SampleIndex> indices) override {
    for (const SampleIndex index : indices.first(std::min(kFilesAhead, indices.size()))) {
      FilesAhead::fetch(files_.names.path(index, fetched_path_));
    }
  }

 private:
  void push(SampleIndex /*index*/, const std::string& path) override { queue_.push(path); }

  std::string fetched_path_;  // its memory is reused
};

class QueueReader final : public AnnouncedReader<FileQueue> {
 public:
  QueueReader(const Files& files, std::size_t most, std::size_t in_flight)
      : AnnouncedReader(files, most,
                        FileQueueOptions{.capacity = in_flight, .most_bytes = std::ranges::max(files.bytes)}) {}

 private:
  void push(SampleIndex index, const std::string& path) override { queue_.push(path, files_.bytes[index]); }
  void note_queue() override { note_reads_in_flight(queue_.size() - 1); }
};

class ArrivingFiles final : public SampleArrivals {
 public:
  ArrivingFiles(const Files& files, const ReadAheadOptions& options)
      : files_(files),
        arrivals_({.requests = options.requests,
                   .bytes = options.bytes,
                   .most_bytes = std::ranges::max(files.bytes),
                   .most_files = std::max(kMostFiles, options.requests)}) {}

  bool ask(SampleIndex index, std::size_t ticket) override {
    return arrivals_.ask(files_.names.path(index, path_), files_.bytes[index], ticket);
  }
  std::optional<Arrival> arrived() override {
    const auto one = arrivals_.arrived();
    return one ? std::optional(Arrival{.ticket = one->ticket, .place = one->place}) : std::nullopt;
  }
  void wait(std::chrono::nanoseconds limit) override { arrivals_.wait(limit); }
  StoredSample stored(std::size_t place) override { return arrivals_.bytes(place); }
  void give_back(std::size_t place) override { arrivals_.give_back(place); }
  std::size_t in_flight() const override { return arrivals_.in_flight(); }
  bool window_full() const override { return arrivals_.full(); }
  bool busy() const override { return arrivals_.busy(); }

 private:
  // The most files read ahead and not decoded: their bytes reach their own limit first unless files are shorter than
  // 16 KB.
  static constexpr std::size_t kMostFiles = 4096;

  Files files_;
  std::string path_;  // of the next one
  FileArrivals arrivals_;
};

class ImageFolder final : public Dataset {
 public:
  ImageFolder(DatasetInfo info, Labels labels, std::vector<std::size_t> file_bytes, const DatasetOptions& options)
      : Dataset(std::move(info), std::move(labels)),
        file_bytes_(std::move(file_bytes)),
        read_(options.read),
        ahead_(options.ahead) {}

  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override {
    switch (read_) {
      case FileRead::kMmap: return std::make_unique<MappingReader>(info().files, most);
      case FileRead::kUring: return std::make_unique<QueueReader>(files(), most, ahead_.requests);
      case FileRead::kPread: break;
    }
    return std::make_unique<AheadReader>(files(), most, allowance_);
  }
  std::unique_ptr<SampleArrivals> make_arrivals() const override {
    return read_ == FileRead::kUring ? std::make_unique<ArrivingFiles>(files(), ahead_) : nullptr;
  }
  bool visit(const std::function<bool(StoredSample)>& visitor) const override {
    return read_in_order(
        *this, info().samples, [](std::size_t number) { return static_cast<SampleIndex>(number); },
        [&](std::size_t, StoredSample sample) { return visitor(sample); });
  }
  std::string describe(SampleIndex index) const override { return info().files[index].string(); }

 private:
  Files files() const { return {info().files, file_bytes_}; }

  std::vector<std::size_t> file_bytes_;
  FileRead read_;
  ReadAheadOptions ahead_;
  mutable OpenFileAllowance allowance_;  // shared by all readers
};

}  // namespace

bool recognises_image_folder(const fs::path& path) {
  if (!fs::is_directory(path)) return false;
  return std::ranges::any_of(fs::directory_iterator(training_part(path)),
                             [](const auto& group) { return group.is_directory() && any_image(group.path()); });
}

std::optional<fs::path> image_without_class(const fs::path& path) {
  return fs::is_directory(path) ? any_image(training_part(path)) : std::nullopt;
}

std::optional<fs::path> image_in_subdirectory(const fs::path& path) {
  if (!fs::is_directory(path)) return std::nullopt;
  constexpr std::size_t kMostEntries = 10'000;  // it is for a hint only, and `path` may be the root of everything
  std::size_t entries = 0;
  std::error_code failed;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(training_part(path), options, failed), end; entry != end && !failed;
       entry.increment(failed)) {
    if (++entries > kMostEntries) break;
    const fs::path name = entry->path().filename();
    if (name.native().front() == '.') {
      entry.disable_recursion_pending();
    } else if (entry.depth() > 1 && is_image_name(name.native())) {
      return entry->path();
    }
  }
  return std::nullopt;
}

std::unique_ptr<Dataset> open_image_folder(const fs::path& path, const DatasetOptions& options) {
  if (!fs::is_directory(path)) throw Error(fmt::format("cannot open {}: not a directory of images", path.string()));
  const fs::path root = split_directory(path, options.split);
  DatasetInfo info{.format = "image-folder", .shape = {3, 0, 0}, .encoded = true, .access = Access::kFiles};
  ImageListing found =
      list_images(root, {.every_length = options.read == FileRead::kUring, .index_directory = listing_directory()});
  const FolderNames& names = *found.names;
  if (names.size() >= std::numeric_limits<SampleIndex>::max()) {
    throw Error(fmt::format("cannot open {}: {} images are more than 2^32 - 2", root.string(), names.size()));
  }
  info.samples = names.size();
  info.classes = found.classes.size();
  info.images_beside = found.beside;
  info.stored_bytes = found.stored_bytes;
  info.sized_files = found.sized_files;
  std::vector<SampleIndex> begins(info.classes);
  for (std::size_t i = 0; i < begins.size(); ++i) begins[i] = static_cast<SampleIndex>(found.classes[i]);
  Labels labels = Labels::of_classes(std::move(begins), info.samples);
  info.files = FileNames(std::move(found.names));
  return std::make_unique<ImageFolder>(std::move(info), std::move(labels), std::move(found.file_bytes), options);
}

}  // namespace loadline
