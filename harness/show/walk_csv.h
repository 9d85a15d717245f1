// A walk, for spreadsheets and scripts.
#pragma once

#include <string>

#include "harness/judge/walk.h"

namespace loadline {

// A header, then one row for each step of each workload. Figures have ten digits; rates are samples per second, shares
// are between 0 and 1; empty where there is none. As RFC 4180 has it, with \n for the end of a line.
std::string walk_csv(const Walk& walk);

}  // namespace loadline
