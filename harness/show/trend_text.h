// Trends, as text. Pure functions, safe from any thread.
#pragma once

#include <string>

#include "harness/judge/walk.h"

namespace loadline {

// One line for each workload of the walk: "trend of mnist FULL: 1.2 ± 0.3 % slower per result over 8 results (p =
// 0.002)".
std::string trend_text(const Walk& walk);

}  // namespace loadline
