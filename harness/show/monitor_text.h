// What was watched and counted beside the trials, for the terminal. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// A sentence on what a monitor looked at, how often and what that cost, ending in a line feed; empty without one.
std::string monitor_text(const Result& result);

// The events a sample of the headlines' cells, as a table; why there are none or fewer. Empty without --counters.
std::string counters_text(const Result& result, const Judgement& judgement, std::size_t width);

}  // namespace loadline
