// How long copying data to the nodes took, as text. Pure functions, safe from any thread.
#pragma once

#include <filesystem>
#include <string>

#include "harness/result/result.h"
#include "harness/result/staging_record.h"

namespace loadline {

// "175.8 MiB to /local/scratch in 400 ms, 440.0 MiB/s"; for several nodes, their number and the slowest node's time.
// `copy` is the path of the copy, from staged_path().
std::string staged_words(const StagedCopy& staged, const std::filesystem::path& copy);
// The same for all datasets of a run, one "staged: ..." line each. Empty where nothing was staged.
std::string staged_text(const Result& result);

}  // namespace loadline
