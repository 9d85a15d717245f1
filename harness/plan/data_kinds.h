// Kinds of data, so that options can say which kinds they apply to.
#pragma once

#include <filesystem>
#include <string>

#include "harness/plan/workloads.h"
#include "loaders/datasets/dataset_info.h"

namespace loadline {

// A set of kinds.
using DataKinds = unsigned;

inline constexpr DataKinds kImageData = 1;  // of one size, stored as pixels
inline constexpr DataKinds kPhotoData = 2;  // stored as JPEG or another image format, each with its own size
inline constexpr DataKinds kVolumeData = 4;
inline constexpr DataKinds kTokenData = 8;
inline constexpr DataKinds kTextData = 16;
inline constexpr DataKinds kAnyData = 31;

// What a dataset holds; kAnyData if only its own loader knows.
DataKinds kinds_of(const DatasetInfo& info);
// What the data of a workload may hold. Only the data itself tells images and photographs apart.
DataKinds kinds_of(const Workload& workload);

// "tokens and text".
std::string words_of(DataKinds kinds);
// "<path>, which holds photographs".
std::string holding(const std::filesystem::path& path, const DatasetInfo& info);

}  // namespace loadline
