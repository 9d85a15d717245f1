// How much of a dataset the page cache holds.
#pragma once

#include <cstddef>
#include <optional>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/file_names.h"
#include "loaders/storage/mapping.h"

namespace loadline {

// Of how many files of a folder the page cache is looked at, evenly spread: to look at all takes minutes. None of those
// with fewer, where it is all.
inline constexpr std::size_t kMostFilesLookedAt = 65'536;
inline constexpr std::size_t kFilesLookedAt = 4'096;
std::optional<std::size_t> files_looked_at(const FileNames& files);

// How much of the dataset's files, or of those that are looked at, the page cache holds now.
Residency page_cache_residency(const Dataset& dataset);
Residency page_cache_residency(const FileNames& files);

}  // namespace loadline
