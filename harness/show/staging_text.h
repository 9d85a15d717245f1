// What copying data to the nodes took, as text. Pure functions, safe from any thread.
#pragma once

#include <filesystem>
#include <string>

#include "harness/result/result.h"
#include "harness/result/staging_record.h"

namespace loadline {

// "175.8 MiB to /local/scratch in 400 ms, 440.0 MiB/s"; of several nodes how many, and the slowest's time. `copy` is
// where it lies, as staged_path() says.
std::string staged_words(const StagedCopy& staged, const std::filesystem::path& copy);
// The same of all datasets of a run, "staged: ..." on a line each. Empty where nothing was staged.
std::string staged_text(const Result& result);

}  // namespace loadline
