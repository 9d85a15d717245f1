// Private to convert: what is at a place, against what was or would be written there.
#pragma once

#include <filesystem>
#include <stop_token>

#include "loaders/datasets/dataset.h"
#include "synthetic/convert/convert.h"

namespace loadline {

// Whether what is at `path` in this format has the samples and labels of `from`. `shown`: the path for messages. Throws
// Error if it cannot be read, and if it was interrupted.
bool holds_the_same(const std::filesystem::path& path, const std::filesystem::path& shown, const ConvertFormat& format,
                    const Dataset& from, const ConvertOptions& options, const std::stop_token& stop);

// Throws Error if an HDF5 file with the same samples stores them in another way than requested.
void check_storage(const std::filesystem::path& to, const ConvertFormat& format, const Dataset& from,
                   const ConvertOptions& options);

}  // namespace loadline
