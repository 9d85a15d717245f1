// Paths of data that the parts of a merge spell differently.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/result/merge.h"

namespace loadline {

// The same for all spellings of a path: "mn" for "./mn", "mn/" and "old/../mn". A relative path and an absolute one
// stay apart, because results do not record the working directory.
std::filesystem::path normal_path(const std::filesystem::path& path);

// Gives the data of all parts the spelling of the first part that has it.
void spell_alike(std::vector<MergePart>& parts);

}  // namespace loadline
