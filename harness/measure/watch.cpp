#include "harness/measure/watch.h"

#include <fmt/format.h>

#include "loaders/error.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> directories_of(const FileNames& files) {
  std::vector<fs::path> directories;
  if (const FolderNames* folder = files.folder()) {
    for (std::size_t i = 0; i < folder->directories(); ++i)
      directories.push_back(folder->root() / folder->directory(i));
    return directories;
  }
  for (const fs::path& file : files) {
    fs::path directory = file.has_parent_path() ? file.parent_path() : ".";
    // Files of one directory are adjacent.
    if (directories.empty() || directories.back() != directory) directories.push_back(std::move(directory));
  }
  return directories;
}

}  // namespace

DatasetWatch::DatasetWatch(const DatasetInfo& info) {
  const auto remember = [&](const std::vector<fs::path>& paths) {
    for (const fs::path& path : paths) stamps_.emplace_back(path, stamp_of(path));
  };
  remember(evenly_spread(info.files, kMostFiles));
  if (info.files.size() > kMostFiles) remember(evenly_spread(directories_of(info.files), kMostFiles));
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
