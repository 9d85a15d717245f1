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
inline constexpr DataKinds kOwnData = 31;      // that loadline reads itself: all of the above
inline constexpr DataKinds kOutsideData = 32;  // that only a loader in Python reads
inline constexpr DataKinds kAnyData = kOwnData | kOutsideData;

// What a dataset holds.
DataKinds kinds_of(const DatasetInfo& info);
// What the data of a workload may hold. Only the data itself tells images and photographs apart.
DataKinds kinds_of(const Workload& workload);

// "tokens and text".
std::string words_of(DataKinds kinds);
// "<path>, which holds photographs", or "loaders in <path>".
std::string holding(const std::filesystem::path& path, const DatasetInfo& info);

}  // namespace loadline
