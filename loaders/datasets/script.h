// Datasets that only a program's own loader knows: of these there is no more than how many samples they have.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "loaders/datasets/dataset.h"

namespace loadline {

// The format of such a dataset, which open_dataset() takes beside those of the table. Its path is the program's.
inline constexpr std::string_view kScriptFormat = "python";

// Counts the samples of what the loaders of the program at `path` read. Throws Error.
using SampleCount = std::function<std::size_t(const std::filesystem::path& path)>;

// Asked in place of the one before it. Not while others open datasets.
void set_sample_count(SampleCount count);

// Samples of one byte, of one class. Throws usage Error if their number is unknown.
std::unique_ptr<Dataset> open_script(const std::filesystem::path& path);

}  // namespace loadline
