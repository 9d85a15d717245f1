// What a monitor recorded, as a table for other programs. Pure, safe from any thread.
#pragma once

#include <string>

#include "harness/result/result.h"

namespace loadline {

// One line per sample: its time, the cell or ceiling whose trial ran and its round (both empty between trials), and
// one column per series, "cpu user of cpu0 [share]". Empty where a value is not known. Throws Error where the result
// has no monitor.
std::string monitor_csv(const Result& result);

}  // namespace loadline
