#include "loaders/datasets/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

Error shards_refusal(const fs::path& path, const std::string& why) {
  return Error(fmt::format("cannot open {}: {}", path.string(), why));
}

Error compressed_shard(const fs::path& path, const ShardNames& names) {
  return shards_refusal(path, fmt::format("it is compressed, so single samples cannot be read; uncompress the shards "
                                          "first (gunzip){}",
                                          names.consolation));
}

struct Listed {
  std::vector<fs::path> shards;
  std::vector<fs::path> compressed;
};

Listed list_shards(const fs::path& directory, const ShardNames& names) {
  Listed listed;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.')) continue;
    if (names.is_shard(name)) listed.shards.push_back(entry.path());
    if (names.is_compressed(name)) listed.compressed.push_back(entry.path());
  }
  const auto by_name = [](const fs::path& path) { return path.filename().string(); };
  std::ranges::sort(listed.shards, {}, by_name);
  std::ranges::sort(listed.compressed, {}, by_name);
  return listed;
}

// "train-00003-of-00128" belongs to a series whose length is part of the name.
struct SeriesPlace {
  std::string series;  // its name without the number
  std::size_t number = 0;
  std::size_t count = 0;
};

std::optional<SeriesPlace> place_in_series(const std::string& name) {
  constexpr std::string_view kOf = "-of-";
  const auto of = name.rfind(kOf);
  if (of == std::string::npos) return std::nullopt;
  auto first = of;
  while (first > 0 && std::isdigit(static_cast<unsigned char>(name[first - 1])) != 0) --first;
  SeriesPlace place;
  const char* end = name.data() + name.size();
  const auto number = std::from_chars(name.data() + first, name.data() + of, place.number);
  const auto count = std::from_chars(name.data() + of + kOf.size(), end, place.count);
  if (number.ec != std::errc{} || count.ec != std::errc{}) return std::nullopt;
  place.series = name.substr(0, first) + name.substr(of);
  return place;
}

// Otherwise a shard that was not copied would be missing silently.
void check_series(const fs::path& directory, const std::vector<fs::path>& shards) {
  struct Series {
    std::size_t count = 0;
    std::set<std::size_t> numbers = {};
  };
  std::map<std::string, Series> all;
  for (const fs::path& shard : shards) {
    const auto place = place_in_series(shard.filename().string());
    if (!place) continue;
    Series& series = all[place->series];
    series.count = place->count;
    series.numbers.insert(place->number);
  }
  for (const auto& [name, series] : all) {
    if (series.numbers.size() >= series.count) continue;
    std::size_t missing = 0;
    for (const std::size_t number : series.numbers) missing += number == missing ? 1 : 0;
    throw shards_refusal(directory, fmt::format("it has {} of its {} shards; number {} is missing",
                                                series.numbers.size(), series.count, missing));
  }
}

}  // namespace

std::optional<Split> split_in_name(std::string_view name) {
  std::string word;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const char c = i < name.size() ? name[i] : '.';
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (word == "train" || word == "training") return Split::kTrain;
    for (const std::string_view other : {"val", "valid", "validation", "eval", "test"}) {
      if (word == other) return Split::kTest;
    }
    word.clear();
  }
  return std::nullopt;
}

fs::path directory_of_split(const fs::path& path, Split split) {
  const bool nested = fs::is_directory(path / "train");
  if (!nested) return path;
  if (split == Split::kTrain) return path / "train";
  for (const char* name : {"val", "validation", "test"}) {
    if (fs::is_directory(path / name)) return path / name;
  }
  throw shards_refusal(path, "it contains neither val, validation nor test");
}

bool has_shards(const fs::path& path, const ShardNames& names) {
  const auto any = [&](const fs::path& file) {
    const std::string name = file.filename().string();
    return !name.starts_with('.') && (names.is_shard(name) || names.is_compressed(name));
  };
  if (!fs::is_directory(path)) return any(path);
  const fs::path directory = fs::is_directory(path / "train") ? path / "train" : path;
  return std::ranges::any_of(fs::directory_iterator(directory), [&](const auto& entry) { return any(entry.path()); });
}

std::vector<fs::path> shards_at(const fs::path& path, Split split, const ShardNames& names) {
  if (!fs::is_directory(path)) {
    if (names.is_compressed(path.filename().string())) throw compressed_shard(path, names);
    return {path};
  }
  const fs::path directory = directory_of_split(path, split);
  Listed listed = list_shards(directory, names);
  if (!listed.compressed.empty()) throw compressed_shard(listed.compressed.front(), names);
  if (listed.shards.empty()) throw shards_refusal(directory, fmt::format("it contains no shard of {}", names.format));
  const auto told = [](const fs::path& shard) { return split_in_name(shard.filename().string()); };
  if (directory == path &&
      std::ranges::any_of(listed.shards, [&](const fs::path& shard) { return told(shard).has_value(); })) {
    std::erase_if(listed.shards, [&](const fs::path& shard) { return told(shard) != split; });
    if (listed.shards.empty()) {
      throw shards_refusal(path, fmt::format("none of its shards has {} in its name",
                                             split == Split::kTrain ? "train" : "val, validation or test"));
    }
  } else if (directory == path && split != Split::kTrain) {
    throw usage_error(fmt::format("split test: no shard in {} has train or val in its name, so it has one split only",
                                  path.string()));
  }
  for (const fs::path& shard : listed.shards) refuse_other_than_file("open", shard);
  check_series(directory, listed.shards);
  return std::move(listed.shards);
}

MappedShards::MappedShards(const std::vector<fs::path>& shards, ShardIndex index) : index_(std::move(index)) {
  files_.reserve(shards.size());
  for (std::size_t shard = 0, sample = 0; shard < shards.size(); ++shard) {
    auto file = std::make_unique<MappedFile>(shards[shard]);
    for (; sample < index_.ends[shard]; ++sample) {
      file->part("a sample", index_.offsets[sample], index_.bytes[sample], 1);
    }
    files_.push_back(std::move(file));
  }
}

void MappedShards::check_intact() const {
  for (const auto& file : files_) file->check_intact();
}

void MappedShards::check_files() const {
  for (const auto& file : files_) file->check_size();
}

void MappedShards::forget_pages() const {
  for (const auto& file : files_) file->forget_pages();
}

std::vector<MappedBytes> MappedShards::mapped_files() const {
  std::vector<MappedBytes> mapped;
  for (const auto& file : files_) mapped.push_back(file->bytes());
  return mapped;
}

DatasetInfo shards_info(std::string_view format, const std::vector<fs::path>& shards, const ShardIndex& index) {
  DatasetInfo info{.format = std::string(format), .samples = index.offsets.size(), .shape = {3, 0, 0}};
  info.classes = class_count(index.labels);
  info.files = shards;
  for (const fs::path& shard : shards) info.stored_bytes += fs::file_size(shard);
  info.encoded_bytes = std::accumulate(index.bytes.begin(), index.bytes.end(), std::size_t{0});
  info.encoded = true;
  return info;
}

}  // namespace loadline
