// Results against a base, for people.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/diff.h"
#include "harness/show/wrap.h"

namespace loadline {

// A line for each cell of the gate, the worst first: "regression: cifar10/FULL/... is 12 ± 3 % slower (p = 0.001)",
// "inconclusive: ... is 2 ± 5 % slower (p = 0.4); to see 3 % it would need 23 trials a side"; before them what the gate
// has lost. Partners that differ are named by what they differ in: "cifar10 FULL is 2.27 ± 0.05 times as fast: workers
// 2
// -> 1". Along a setting, which has no gate, a line for each of its values.
std::string verdict_text(const ResultDiff& diff);

// The verdicts, what was compared with what, a table of all cells, and what stands on one side only. One after the
// other, where there are several.
std::string diff_text(const std::vector<ResultDiff>& diffs, std::size_t width = kUnlimited);

// The same for a ticket.
std::string diff_markdown(const std::vector<ResultDiff>& diffs);

}  // namespace loadline
