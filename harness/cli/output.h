// What an output file may replace.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/cli/verbs.h"
#include "harness/plan/plan.h"

namespace loadline {

// What a command knows of its output file beside the path.
struct OutputRules {
  enum class Kind {
    kResult,  // of a run, a training or `aa`: replaces a complete one of these and nothing else
    kMerged,  // made again from its inputs: replaces a partial one too
    kText,    // tables, pages, other tools' formats: replaces anything but the result of a run
  };

  Kind kind = Kind::kResult;
  bool overwrite = false;                       // --overwrite was given
  bool goes_on = false;                         // with the result that is there
  std::vector<std::filesystem::path> inputs;    // files that the same command reads
  std::vector<std::filesystem::path> datasets;  // files or directories that it reads
};

// Of the verbs that measure these cells.
OutputRules output_rules(const RunRequest& request, const std::vector<Cell>& cells);

// Throws usage Error where the file at `path`, or what a link there leads to, is one that the command reads itself, and
// Error where something is there that is not to be replaced, saying how to go about it. An empty file is replaced with
// --overwrite. Ignores anything that is not a regular file (a pipe, a device).
void check_output(const std::filesystem::path& path, const OutputRules& rules);

}  // namespace loadline
