// Traced trials of the cells of a run, after the measured ones.
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
  std::function<void(TrialTrace&, const CellResult&)> take = {};  // after each trial; may move it away
};

struct TraceOutcome {
  bool done = true;                   // false: stopped
  std::size_t cells = 0;              // cells to trace
  std::size_t without_time = 0;       // of these, for lack of time not traced
  std::vector<std::string> failures;  // sentences, each naming the cell
};

// Runs more trials of each cell of a finished result, except OVERHEAD and failed cells. They enter no figure. With a
// time limit, starts no cell whose trials would end after it. Throws what options.take throws.
TraceOutcome run_traced(const TraceOptions& options, Result& result, RunContext& context);

}  // namespace loadline
