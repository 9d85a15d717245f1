// What was monitored and counted during the trials, for the terminal. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// What a series is of, such as "cpu0"; "the machine" where the result says "memory" or "system".
std::string thing_text(const MonitorSeries& series);

// A sentence on what a monitor sampled, how often and at what cost, ending in a line feed; empty without a monitor.
std::string monitor_text(const Result& result);

// The events per sample of the headlines' cells, as a table, and why some or all are missing. Empty without
// --counters.
std::string counters_text(const Result& result, const Judgement& judgement, std::size_t width);

}  // namespace loadline
