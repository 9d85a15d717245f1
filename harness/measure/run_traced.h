// Traced trials of the cells of a run, behind those that are measured.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/measure/observer.h"
#include "harness/result/result.h"

namespace loadline {

struct TrialTrace;

// What to trace, and who receives it.
struct TraceOptions {
  std::size_t trials = 1;                                         // of each cell
  std::function<void(const CellResult&)> begins = {};             // before each trial
  std::function<void(TrialTrace&, const CellResult&)> take = {};  // after it; may move it away
};

struct TraceOutcome {
  bool done = true;                   // rather than stopped
  std::size_t cells = 0;              // that were to be traced
  std::size_t without_time = 0;       // of these: the time limit left none for them
  std::vector<std::string> failures;  // sentences, each naming the cell
};

// More trials of each cell of a result whose trials are over, but of OVERHEAD and of those that failed: they enter no
// figure. With a time limit no cell is begun whose trials would end behind it. Throws what options.take throws.
TraceOutcome run_traced(const TraceOptions& options, Result& result, RunContext& context);

}  // namespace loadline
