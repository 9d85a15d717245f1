// Which existing file an output file may replace.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/cli/verbs.h"
#include "harness/plan/plan.h"

namespace loadline {

// What a command knows about its output file apart from the path.
struct OutputRules {
  enum class Kind {
    kResult,  // of a run, a training run or `aa`: replaces only a complete result of these
    kMerged,  // of a merge or a program's own loop, which cannot be continued: replaces a partial result too
    kText,    // tables, pages, other tools' formats: replaces anything except the result of a run
  };

  Kind kind = Kind::kResult;
  bool overwrite = false;                       // --overwrite was given
  bool goes_on = false;                         // continues the existing result
  bool has_trials = false;                      // that result has some
  std::vector<std::filesystem::path> inputs;    // files that this command reads
  std::vector<std::filesystem::path> datasets;  // files or directories that it reads
};

// The rules for the verbs that measure these cells.
OutputRules output_rules(const RunRequest& request, const std::vector<Cell>& cells);

// Throws usage Error if the file at `path`, or the target of a link there, is one that the command itself reads.
// Throws Error, with advice, if it must not be replaced. --overwrite replaces an empty file too. Ignores anything
// that is not a regular file (a pipe, a device).
void check_output(const std::filesystem::path& path, const OutputRules& rules);

}  // namespace loadline
