// A walk, for spreadsheets and scripts.
#pragma once

#include <string>

#include "harness/judge/walk.h"

namespace loadline {

// A header, then one row for each step of each workload. Figures have ten digits; rates are samples per second,
// shares are between 0 and 1; absent ones are empty. As in RFC 4180, but lines end in \n.
std::string walk_csv(const Walk& walk);

}  // namespace loadline
