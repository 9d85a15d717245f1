// How much of a dataset the page cache holds.
#pragma once

#include <cstddef>
#include <optional>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/file_names.h"
#include "loaders/storage/mapping.h"

namespace loadline {

// Looking up millions of files takes minutes: in folders of more than kMostFilesLookedAt files, only kFilesLookedAt
// evenly spread ones are looked up. files_looked_at(): nullopt if all are.
inline constexpr std::size_t kMostFilesLookedAt = 65'536;
inline constexpr std::size_t kFilesLookedAt = 4'096;
std::optional<std::size_t> files_looked_at(const FileNames& files);

// How much of the dataset's files, or of those looked up, the page cache holds now.
Residency page_cache_residency(const Dataset& dataset);
Residency page_cache_residency(const FileNames& files);

}  // namespace loadline
