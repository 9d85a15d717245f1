// Datasets that only a program's own loader can read. Only their number of samples is known.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "loaders/datasets/dataset.h"

namespace loadline {

// The format of such a dataset, which open_dataset() accepts besides those of the table. Its path is the program's.
inline constexpr std::string_view kScriptFormat = "python";

// Counts the samples that the loaders of the program at `path` read. Throws Error.
using SampleCount = std::function<std::size_t(const std::filesystem::path& path)>;

// Replaces the function set before. Must not run while other threads open datasets.
void set_sample_count(SampleCount count);

// Opens it as samples of one byte in one class. Throws usage Error if their number is unknown.
std::unique_ptr<Dataset> open_script(const std::filesystem::path& path);

}  // namespace loadline
