// Results against a base, as text.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/diff.h"
#include "harness/show/wrap.h"

namespace loadline {

// One line per cell of the gate, the worst first: "regression: cifar10/FULL/... is 12 ± 3 % slower (p = 0.001)",
// "inconclusive: ... is 2 ± 5 % slower (p = 0.4); detecting 3 % would take 23 trials per side"; before them, what the
// gate has lost. Partners that differ are described by how they differ: "cifar10 FULL is 2.27 ± 0.05 times as fast:
// workers 2 -> 1". Along a setting, which has no gate: one line for each of its values.
std::string verdict_text(const ResultDiff& diff);

// The verdicts, what was compared with what, a table of all cells, and the cells that exist on one side only; for
// several comparisons, one after the other.
std::string diff_text(const std::vector<ResultDiff>& diffs, std::size_t width = kUnlimited);

// The same as Markdown, for a ticket.
std::string diff_markdown(const std::vector<ResultDiff>& diffs);

}  // namespace loadline
