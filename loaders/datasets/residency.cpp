#include "loaders/datasets/residency.h"

#include <filesystem>

namespace loadline {

namespace fs = std::filesystem;

std::optional<std::size_t> files_looked_at(const FileNames& files) {
  return files.size() > kMostFilesLookedAt ? std::optional(kFilesLookedAt) : std::nullopt;
}

Residency page_cache_residency(const FileNames& files) {
  Residency sum;
  if (const auto most = files_looked_at(files)) {
    for (const fs::path& file : evenly_spread(files, *most)) sum += page_cache_residency(file);
  } else {
    for (const fs::path& file : files) sum += page_cache_residency(file);
  }
  return sum;
}

Residency page_cache_residency(const Dataset& dataset) {
  return page_cache_residency(dataset.info().files);
}

}  // namespace loadline
