#include "loaders/datasets/hdf5_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "loaders/datasets/formats.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// Labels read in place, if they are contiguous, of a readable type, and the file gives the number of classes.
std::optional<Labels> stored_labels(const fs::path& path, const DatasetOptions& options, const Hdf5Dataset& source,
                                    std::size_t samples) {
  const Hdf5Facts& facts = source.facts();
  const bool whole = facts.storage == Hdf5Storage::kContiguous && facts.offset_bytes && facts.sources.empty();
  const std::array<std::string_view, 8> types{"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"};
  if (samples <= kMostLabelsRead || !whole || std::ranges::find(types, facts.type) == types.end()) return std::nullopt;
  auto file = std::make_shared<const MappedFile>(path);
  const auto bytes =
      file->part(fmt::format("dataset '{}'", options.hdf5_labels), *facts.offset_bytes, samples, facts.element_bytes);
  const Labels::Layout layout{
      .bytes = facts.element_bytes, .stride = facts.element_bytes, .is_signed = facts.type.front() == 'i'};
  return Labels({{0, bytes.data()}}, layout, samples, {std::move(file)});
}

}  // namespace

Error hdf5_refusal(const fs::path& path, const std::string& why) {
  return Error(fmt::format("cannot open {}: {}", path.string(), why));
}

std::string extents_text(std::span<const std::uint64_t> extents) {
  std::string text;
  for (const std::uint64_t extent : extents) text += fmt::format("{}{}", text.empty() ? "" : " x ", extent);
  return extents.empty() ? "one value" : text;
}

void add_sources(const Hdf5Facts& facts, DatasetInfo& info) {
  for (const fs::path& source : facts.sources) {
    info.files.push_back(source);
    info.stored_bytes += fs::file_size(source);
  }
}

Labels read_labels(const fs::path& path, const DatasetOptions& options, DatasetInfo& info) {
  const Hdf5Dataset source(path, options.hdf5_labels);
  const auto& extents = source.facts().extents;
  const bool one_each =
      !extents.empty() && extents[0] == info.samples &&
      std::ranges::all_of(extents.begin() + 1, extents.end(), [](auto extent) { return extent == 1; });
  if (!one_each) {
    throw hdf5_refusal(path,
                       fmt::format("dataset '{}' has extents {}, want one label for each of the {} samples of '{}'",
                                   options.hdf5_labels, extents_text(extents), info.samples,
                                   info.encoded ? kPackedBytes : options.hdf5_images));
  }
  constexpr auto kMost = std::uint64_t{kMostClasses};
  const auto announced = source.attribute("classes");
  if (announced && *announced > kMost) {
    throw hdf5_refusal(path, fmt::format("attribute 'classes' of dataset '{}' says {}, want at most {}",
                                         options.hdf5_labels, *announced, kMost));
  }
  info.classes_stated = announced.has_value();
  if (announced && *announced > 0) {
    info.classes = *announced;
    if (auto stored = stored_labels(path, options, source, info.samples)) return std::move(*stored);
  }
  auto labels = source.read_integers();
  const std::size_t classes = class_count(labels);
  if (classes > kMost) {
    throw hdf5_refusal(path, fmt::format("label {} in dataset '{}' is out of range, want 0 to {}", classes - 1,
                                         options.hdf5_labels, kMost - 1));
  }
  info.classes = announced.value_or(classes);
  if (classes > info.classes) {
    throw hdf5_refusal(
        path, fmt::format("label {} is out of range, its attribute 'classes' says {}", classes - 1, info.classes));
  }
  return labels;
}

std::string hdf5_obstacle(const Hdf5Facts& facts) {
  if (facts.storage == Hdf5Storage::kChunked) {
    std::string filters;
    for (const std::string& filter : facts.filter_names) filters += fmt::format(", {}", filter);
    return fmt::format("it is stored in chunks of {}{}, which cannot be mapped: use --loader hdf5-chunk or hdf5",
                       extents_text(facts.chunk), filters);
  }
  if (facts.storage != Hdf5Storage::kContiguous) {
    return fmt::format("its storage is {}, which cannot be mapped: use --loader hdf5", name(facts.storage));
  }
  if (!facts.offset_bytes) return "the file has no space allocated for it: nothing was written";
  return "";
}

Hdf5Reader::Hdf5Reader(const Hdf5Dataset& source, std::size_t most)
    : source_(source),
      sample_bytes_(source.facts().row_bytes()),
      memory_(memory_bytes(most, sample_bytes_), Faults::kLater),
      wants_(most) {}

std::span<const WantedSample> Hdf5Reader::in_stored_order(std::span<const SampleIndex> indices) {
  const auto wants = std::span(wants_).first(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) wants[i] = {indices[i], static_cast<std::uint32_t>(i)};
  std::ranges::sort(wants, {}, &WantedSample::index);
  return wants;
}

}  // namespace loadline
