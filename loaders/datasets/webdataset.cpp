#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/image_listing.h"
#include "loaders/datasets/shards.h"
#include "loaders/error.h"
#include "loaders/json/document.h"
#include "loaders/storage/tar.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

bool is_tar_name(std::string_view name) {
  return name.ends_with(".tar");
}

bool is_compressed_tar_name(std::string_view name) {
  return name.ends_with(".tar.gz") || name.ends_with(".tgz");
}

constexpr ShardNames kTarNames{"webdataset", is_tar_name, is_compressed_tar_name};

constexpr std::size_t kMostLabelText = 64;
constexpr std::size_t kMostJsonText = std::size_t{1} << 20;

// Like WebDataset's base_plus_ext(): everything up to the first dot of the file name, and everything after it.
struct Member {
  std::string_view key;
  std::string kind;  // in lower case
};

std::optional<Member> member_of(std::string_view name) {
  const auto slash = name.rfind('/');
  const auto begin = slash == std::string_view::npos ? 0 : slash + 1;
  const auto point = name.find('.', begin);
  if (point == std::string_view::npos || point == begin) return std::nullopt;
  Member member{.key = name.substr(0, point), .kind = std::string(name.substr(point + 1))};
  std::ranges::transform(member.kind, member.kind.begin(), [](unsigned char c) { return std::tolower(c); });
  return member;
}

// Collects the members of one sample.
struct TarSample {
  std::string key;
  std::optional<TarEntry> image;
  std::optional<TarEntry> label;  // key.cls
  std::optional<TarEntry> json;   // key.json
};

class TarScan {
 public:
  TarScan(const fs::path& path, ShardIndex& index) : path_(path), scanner_(path), index_(index) {}

  void run() {
    while (const auto entry = scanner_.next()) {
      const auto member = member_of(entry->name);
      if (!member) continue;
      if (member->key != sample_.key) begin(std::string(member->key));
      take(*entry, member->kind);
    }
    begin("");
  }

 private:
  Error refusal(const std::string& why) const {
    return Error(fmt::format("cannot open {}: sample '{}' {}", path_.string(), sample_.key, why));
  }

  void take(const TarEntry& entry, std::string_view kind) {
    if (kind == "cls") {
      sample_.label = entry;
    } else if (kind == "json") {
      sample_.json = entry;
    } else if (is_image_extension(kind)) {
      if (sample_.image) throw refusal(fmt::format("has two images, {} and {}", sample_.image->name, entry.name));
      sample_.image = entry;
    }
  }

  // Silently skips files that are no sample at all, such as a list.
  void begin(std::string key) {
    if (sample_.image) {
      if (sample_.image->bytes > std::numeric_limits<std::uint32_t>::max()) {
        throw refusal(fmt::format("has an image of {} bytes, want less than 4 GiB", sample_.image->bytes));
      }
      index_.offsets.push_back(sample_.image->offset);
      index_.bytes.push_back(static_cast<std::uint32_t>(sample_.image->bytes));
      index_.labels.push_back(label());
    } else if (sample_.label) {
      throw refusal(
          "has a label but no image (want jpg, png, ... next to cls, one after the other, in the same shard)");
    }
    sample_ = {.key = std::move(key), .image = {}, .label = {}, .json = {}};
  }

  std::int32_t checked(std::uint64_t label, const TarEntry& entry) const {
    if (label < static_cast<std::uint64_t>(kMostClasses)) return static_cast<std::int32_t>(label);
    throw refusal(fmt::format("has label {} in {}, want less than {}", label, entry.name, kMostClasses));
  }

  std::int32_t label() const {
    if (sample_.label) {
      const std::string text = scanner_.read(*sample_.label, kMostLabelText);
      const auto begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
      const auto end = text.find_last_not_of(" \t\r\n") + 1;
      std::uint64_t value = 0;
      const auto [rest, status] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
      if (status != std::errc{} || rest != text.data() + end) {
        throw refusal(fmt::format("has no whole number in {}", sample_.label->name));
      }
      return checked(value, *sample_.label);
    }
    if (!sample_.json) return kNoLabel;
    const JsonDocument document(scanner_.read(*sample_.json, kMostJsonText),
                                fmt::format("{}: {}", path_.string(), sample_.json->name));
    JsonReader top(document);
    if (top.kind() != JsonKind::kObject) return kNoLabel;
    std::string_view other;  // a label of another kind, which would be lost silently
    for (const std::string_view name : {"label", "cls", "class"}) {
      const auto found = top.find(name);
      if (!found || found->kind() == JsonKind::kNull) continue;
      if (found->kind() == JsonKind::kWhole) return checked(found->as_whole(), *sample_.json);
      if (other.empty()) other = name;
    }
    if (other.empty()) return kNoLabel;
    throw refusal(fmt::format("has no whole number as '{}' in {}", other, sample_.json->name));
  }

  const fs::path& path_;
  TarScanner scanner_;
  ShardIndex& index_;
  TarSample sample_;
};

class WebDataset final : public AddressableDataset {
 public:
  WebDataset(DatasetInfo info, std::vector<std::int32_t> labels, const std::vector<fs::path>& shards, ShardIndex index)
      : AddressableDataset(std::move(info), std::move(labels)), shards_(shards, std::move(index)) {}

  std::string describe(SampleIndex index) const override {
    const MappedFile& shard = shards_.shard_of(index);
    return fmt::format("{}: {}", shard.path().string(), tar_name_at(shard.bytes(), shards_.index().offsets[index]));
  }
  void check_intact() const override { shards_.check_intact(); }
  void check_files() const override { shards_.check_files(); }
  std::vector<MappedBytes> mapped_files() const override { return shards_.mapped_files(); }

 private:
  void locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const override {
    for (std::size_t i = 0; i < indices.size(); ++i) out[i] = shards_.sample(indices[i]);
  }

  void forget_samples() const override { shards_.forget_pages(); }

  MappedShards shards_;
};

}  // namespace

bool recognises_webdataset(const fs::path& path) {
  return has_shards(path, kTarNames);
}

std::unique_ptr<Dataset> open_webdataset(const fs::path& path, const DatasetOptions& options) {
  const auto shards = shards_at(path, options.split, kTarNames);
  ShardIndex index =
      index_of(shards, kTarNames.format, [](const fs::path& shard, ShardIndex& found) { TarScan(shard, found).run(); });
  DatasetInfo info = shards_info(kTarNames.format, shards, index);
  auto labels = std::exchange(index.labels, {});
  return std::make_unique<WebDataset>(std::move(info), std::move(labels), shards, std::move(index));
}

}  // namespace loadline
