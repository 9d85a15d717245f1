#include "loaders/datasets/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "loaders/error.h"

namespace loadline {
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

std::vector<std::int32_t> Dataset::checked_labels(std::size_t count) const {
  constexpr std::size_t kAtATime = 4096;
  std::array<SampleIndex, kAtATime> indices{};
  std::vector<std::int32_t> labels(count);
  for (std::size_t first = 0; first < count; first += kAtATime) {
    const auto block = std::span(labels).subspan(first, std::min(kAtATime, count - first));
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = labels_[first + i];
    std::iota(indices.begin(), indices.end(), static_cast<SampleIndex>(first));
    check_labels(std::span(indices).first(block.size()), block);
  }
  return labels;
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

}  // namespace loadline
