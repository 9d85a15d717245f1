// Figures as a person reads them: as many digits as the interval supports, never "-0.0" and never a bare NaN.
// Pure functions, safe from any thread.
#pragma once

#include <string>

#include "harness/judge/statistics.h"

namespace loadline {

// A share as a percentage: "38 ± 2 %", "99.2 ± 0.3 %"; "20 % (5 to 60 %)" where the interval is lopsided; "38 %"
// where there is none. At most one decimal.
std::string percent(const Estimate& share);

// A share that somebody set, or that bounds something: "3 %", "0.25 %", "140 %".
std::string plain_percent(double share);

// A factor, to be followed by "times": "23", "1.61", "0.60", "1.02 ± 0.01", "1.2 (0.6 to 2.4)".
std::string factor(const Estimate& ratio);

// A plain number near one: "0.91 ± 0.03", "-1.7 ± 0.4". At most two decimals.
std::string efficiency(const Estimate& value);

// A rate as a person says it: "5.0 M", "150 k", "37".
std::string rate(double per_second);
// The same with its interval: "180 ± 2 k", "1.20 M (0.90 to 1.90 M)".
std::string rate(const Estimate& per_second);

// A short time: "0.50 µs", "67 µs", "3.2 ms", "1.5 s".
std::string duration(double seconds);

}  // namespace loadline
