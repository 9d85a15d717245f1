#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loaders/datasets/formats.h"
#include "loaders/error.h"

namespace loadline {
namespace {

constexpr ImageShape kMadeUpShape{.channels = 1, .height = 2, .width = 2};
constexpr std::size_t kMadeUpBytes = 1 + 4;  // in a record: a label, then the pixels
constexpr std::size_t kMadeUpClasses = 3;

class MadeUpDataset final : public AddressableDataset {
 public:
  MadeUpDataset(DatasetInfo info, Labels labels, std::shared_ptr<const MappedFile> file)
      : AddressableDataset(std::move(info), std::move(labels)), file_(std::move(file)) {}

  void locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const override {
    std::ranges::transform(indices, out.begin(), [&](SampleIndex index) {
      return StoredSample{file_->bytes().data() + index * kMadeUpBytes + 1, kMadeUpBytes - 1};
    });
  }
  void check_intact() const override { file_->check_intact(); }
  void check_files() const override { file_->check_size(); }
  void forget_pages() const override { file_->forget_pages(); }

 private:
  std::shared_ptr<const MappedFile> file_;
};

}  // namespace

bool recognises_made_up(const std::filesystem::path& path) {
  return path.extension() == ".made-up";
}

std::unique_ptr<Dataset> open_made_up(const std::filesystem::path& path, const DatasetOptions& /*options*/) {
  auto file = std::make_shared<const MappedFile>(path);
  const auto bytes = file->bytes();
  if (bytes.empty() || bytes.size() % kMadeUpBytes != 0) {
    throw Error(fmt::format("cannot open {}: {} bytes are not a whole number of records of {} bytes", path.string(),
                            bytes.size(), kMadeUpBytes));
  }
  std::vector<std::int32_t> labels;
  for (std::size_t at = 0; at < bytes.size(); at += kMadeUpBytes) {
    labels.push_back(std::to_integer<std::int32_t>(bytes[at]));
    if (labels.back() < static_cast<std::int32_t>(kMadeUpClasses)) continue;
    throw Error(fmt::format("cannot open {}: label {} of sample {} is out of range, want 0 to {}", path.string(),
                            labels.back(), labels.size() - 1, kMadeUpClasses - 1));
  }
  DatasetInfo info{.format = "made-up", .samples = labels.size(), .shape = kMadeUpShape, .classes = kMadeUpClasses};
  info.files = std::vector<std::filesystem::path>{path};
  info.stored_bytes = bytes.size();
  return std::make_unique<MadeUpDataset>(std::move(info), std::move(labels), std::move(file));
}

}  // namespace loadline
