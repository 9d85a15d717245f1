// Paths of data that the parts of a merge spell differently.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/result/merge.h"

namespace loadline {

// The same for all spellings of a path: "mn" for "./mn", "mn/" and "old/../mn".
std::filesystem::path normal_path(const std::filesystem::path& path);

// Whether --data of both runs names the same data: by spellings of one path, or by paths that led to one place. Where
// that is not known, as in older results, a relative path and an absolute one stay apart.
bool same_data_option(const Result& a, const Result& b);

// Gives the data of all parts the spelling of the first part that has it.
void spell_alike(std::vector<MergePart>& parts);

}  // namespace loadline
