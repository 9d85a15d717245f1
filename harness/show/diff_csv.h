// Results against a base, for spreadsheets and scripts.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/diff.h"

namespace loadline {

// A header, then one row for each cell that was compared or exists on one side only ("gone", "added"). Figures have
// ten digits, in units of the metric; absent ones are empty. As in RFC 4180, but lines end in \n.
std::string diff_csv(const std::vector<ResultDiff>& diffs);

}  // namespace loadline
