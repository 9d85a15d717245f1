#include "harness/measure/watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "loaders/error.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// Of all, or so many of them, evenly spread.
std::vector<fs::path> sample_of(const std::vector<fs::path>& all) {
  const std::size_t count = std::min(all.size(), DatasetWatch::kMostFiles);
  std::vector<fs::path> sample;
  for (std::size_t i = 0; i < count; ++i) sample.push_back(all[i * all.size() / count]);
  return sample;
}

std::vector<fs::path> directories_of(const std::vector<fs::path>& files) {
  std::vector<fs::path> directories;
  for (const fs::path& file : files) {
    fs::path directory = file.has_parent_path() ? file.parent_path() : ".";
    // Files of one directory stand together.
    if (directories.empty() || directories.back() != directory) directories.push_back(std::move(directory));
  }
  return directories;
}

}  // namespace

DatasetWatch::DatasetWatch(const DatasetInfo& info) {
  const auto remember = [&](const std::vector<fs::path>& paths) {
    for (const fs::path& path : paths) stamps_.emplace_back(path, stamp_of(path));
  };
  remember(sample_of(info.files));
  if (info.files.size() > kMostFiles) remember(sample_of(directories_of(info.files)));
}

void DatasetWatch::check() const {
  for (const auto& [path, before] : stamps_) {
    const std::string change = change_between(before, stamp_of(path));
    if (change.empty()) continue;
    throw Error(fmt::format("cannot measure {}: it {} while it was measured", path.string(), change));
  }
}

void check_dataset(std::vector<DatasetWatch>& watches, const Result& result, std::size_t dataset) {
  while (watches.size() <= dataset) watches.emplace_back(result.datasets[watches.size()].info);
  watches[dataset].check();
}

}  // namespace loadline
