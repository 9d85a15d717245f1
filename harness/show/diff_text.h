// Results against a base, for people.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/diff.h"

namespace loadline {

// "12 ± 3 % slower", "2.31 ± 0.05 times as fast".
std::string change_text(const Estimate& ratio, const Metric& metric);

// A line for each cell of the gate, the worst first: "regression: cifar10/FULL/... is 12 ± 3 % slower (p = 0.001)",
// "inconclusive: ... is 2 ± 5 % slower (p = 0.4); to see 3 % it would need 23 trials a side". Along a setting, which
// has no gate, a line for each of its values.
std::string verdict_text(const ResultDiff& diff);

// The verdicts, what was compared with what, a table of all cells, and what stands on one side only. One after the
// other, where there are several.
std::string diff_text(const std::vector<ResultDiff>& diffs);

// The same for a ticket.
std::string diff_markdown(const std::vector<ResultDiff>& diffs);

}  // namespace loadline
