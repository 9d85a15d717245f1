// The trace of a run: traced trials, measured and written once the result is complete.
#pragma once

#include <optional>
#include <string>

#include "harness/cli/output.h"
#include "harness/cli/progress.h"
#include "harness/measure/observer.h"
#include "harness/result/result.h"

namespace loadline {

class TraceFile {
 public:
  // Throws Error at once, before anything is measured, if the file could not be written at the end or if an existing
  // file must not be replaced (output.h). Throws usage Error for a path that cannot become a file.
  TraceFile(const std::string& path, const OutputRules& rules);

  const std::string& path() const { return path_; }

  // Traces `trials` trials of each cell of the result and writes the file, completely or not at all. Unless `quiet`,
  // prints what was lost, what was slow and what there was no time for. Returns whether the file was written; it is
  // not when stopped or without any trial. Throws Error if a trial fails, after writing the others, and if the file
  // cannot be written.
  bool measure_and_write(std::size_t trials, Result& result, RunContext& context, Progress& progress, bool quiet) const;

 private:
  std::string path_;
};

}  // namespace loadline
