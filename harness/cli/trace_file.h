// The trace of a run: its trials, measured and written once the result is there.
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
  // Fails at once, before anything is measured, where the file could not be written at the end and where something is
  // in the way (output.h). Throws usage Error for a path that cannot become a file.
  TraceFile(const std::string& path, const OutputRules& rules);

  const std::string& path() const { return path_; }

  // Traces so many trials of each cell of the result and writes the file, which is there whole or not at all. Tells
  // what was lost, what was slow and what there was no time for, unless it is to be quiet. Returns whether it was
  // written, rather than stopped or without any trial. Throws Error where a trial fails, once the others are written,
  // and where the file does.
  bool measure_and_write(std::size_t trials, Result& result, RunContext& context, Progress& progress, bool quiet) const;

 private:
  std::string path_;
};

}  // namespace loadline
