// Results against a base, for spreadsheets and scripts.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/diff.h"

namespace loadline {

// A header, then one row for each cell that was compared or stands on one side only ("gone", "added"). Figures have
// ten digits and are in units of the metric; empty where there is none. As RFC 4180 has it, with \n for the end of a
// line.
std::string diff_csv(const std::vector<ResultDiff>& diffs);

}  // namespace loadline
