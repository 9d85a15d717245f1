// Figures as a person reads them: as many digits as the interval supports, never "-0.0" and never a bare NaN. Where
// an interval is so wide that its figure says nothing, percent(), factor() and efficiency() return kTooNoisy instead;
// a caller whose sentence must read well checks first. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/judge/statistics.h"

namespace loadline {

inline constexpr std::string_view kTooNoisy = "too noisy to say";

// Whether a figure is worth stating: its interval spans at most 50 points of a share, a factor of 4 of a ratio, or 1
// of an efficiency. Beyond that, "a half" may be a quarter or three quarters, and no advice follows from it.
bool telling_share(const Estimate& share);
bool telling_factor(const Estimate& ratio);
bool telling_efficiency(const Estimate& value);

// A share as a percentage: "38 ± 2 %", "99.2 ± 0.3 %"; "20 % (5 to 60 %)" where the interval is lopsided; "38 %"
// where there is none. At most one decimal.
std::string percent(const Estimate& share);

// A stall for a sentence: as percent(), but "more than 99.9 %" where its interval lies between that and 100 %, because
// no stall is all of the time.
std::string stall_words(const Estimate& stall);

// A utilisation for a sentence, what the stall leaves of the time: as percent(), but "less than 0.1 %" where its
// interval ends below that, because work that is done takes some of the time.
std::string utilisation_words(const Estimate& utilisation);

// A stall for a table: the same, but "> 99.9 %", and where noise puts it below 0, which a share of time cannot be, the
// upper end of its interval: "< 1.2 %", or "0 %" if that is not above 0 or there is none.
std::string stall_text(const Estimate& stall);

// A share that the user set, or that bounds something: "3 %", "0.25 %", "140 %".
std::string plain_percent(double share);

// The same next to a limit that the interval does not contain: written by its ends, to a tenth, where a single ±
// would seem to contain the limit. "106 % (90.4 to 124.9 %)".
std::string percent_beside(const Estimate& share, double limit);

// An upper bound of a share, rounded up to a tenth: "1.2 %".
std::string percent_at_most(double share);
// A lower bound, rounded down: "5.1 %".
std::string percent_at_least(double share);

// A factor, to be followed by "times": "23", "1.61", "0.60", "1.02 ± 0.01", "1.2 (0.6 to 2.1)".
std::string factor(const Estimate& ratio);
// A bound of a factor, which is positive, rounded away from the factor: at least "37" of 37.97, at most "1.03"
// of 1.021.
std::string factor_at_least(double low);
std::string factor_at_most(double high);

// A plain number near one: "0.91 ± 0.03", "-1.7 ± 0.4". At most two decimals.
std::string efficiency(const Estimate& value);

// "1 worker", "3 workers".
std::string plural(std::size_t count, std::string_view thing);

// "was" for one, otherwise "were".
std::string_view was(std::size_t count);

// A rate as a person writes it: "5.0 M", "150 k", "37".
std::string rate(double per_second);
// The same with its interval: "180 ± 2 k", "1.20 M (0.90 to 1.90 M)".
std::string rate(const Estimate& per_second);

// A short time: "0.50 µs", "67 µs", "3.2 ms", "1.5 s".
std::string duration(double seconds);
// The same, rounded down: for a time that must not be exceeded.
std::string duration_at_most(double seconds);
// The same with its interval: "60 ± 2 ms".
std::string measured_duration(const Estimate& seconds);
// A time that a person waits for: "1.2 s", "3 min 20 s", "2 h 5 min".
std::string time_text(double seconds);

}  // namespace loadline
