#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/strided.h"
#include "loaders/error.h"
#include "loaders/storage/mapping.h"

namespace loadline {
namespace {

constexpr ImageShape kMadeUpShape{.channels = 1, .height = 2, .width = 2};
constexpr std::size_t kMadeUpClasses = 3;

}  // namespace

bool recognises_made_up(const std::filesystem::path& path) {
  return path.extension() == ".made-up";
}

std::unique_ptr<Dataset> open_made_up(const std::filesystem::path& path, const DatasetOptions& /*options*/) {
  auto file = std::make_shared<const MappedFile>(path);
  const auto bytes = file->bytes();
  const std::size_t samples = bytes.empty() ? 0 : std::to_integer<std::size_t>(bytes[0]);
  if (samples == 0 || bytes.size() != 1 + samples + samples * kMadeUpShape.elements()) {
    throw Error(fmt::format("cannot open {}: {} bytes are not a number of samples, its labels and its pixels",
                            path.string(), bytes.size()));
  }
  std::vector<std::int32_t> labels;
  for (const std::byte label : bytes.subspan(1, samples)) {
    labels.push_back(std::to_integer<std::int32_t>(label));
    if (labels.back() < static_cast<std::int32_t>(kMadeUpClasses)) continue;
    throw Error(fmt::format("cannot open {}: label {} of sample {} is out of range, want 0 to {}", path.string(),
                            labels.back(), labels.size() - 1, kMadeUpClasses - 1));
  }
  file->check_intact();
  DatasetInfo info{.format = "made-up", .samples = samples, .shape = kMadeUpShape, .classes = kMadeUpClasses};
  info.files = std::vector<std::filesystem::path>{path};
  info.stored_bytes = bytes.size();
  const std::byte* const first = bytes.data() + 1 + samples;
  return std::make_unique<StridedDataset>(std::move(info), std::move(labels), std::move(file), first);
}

}  // namespace loadline
