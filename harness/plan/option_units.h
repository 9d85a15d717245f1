// What the table of options says in its placeholders, and those who read texts of options heed.
#pragma once

#include <string_view>

namespace loadline {

// Placeholders whose numbers have units of their own: "20m" is 1200 seconds, "1%" is 0.01.
inline constexpr std::string_view kDurationValue = "DURATION";
inline constexpr std::string_view kShareValue = "SHARE";

inline constexpr double kMostMonitorPeriod = 3600;  // seconds, of --monitor

}  // namespace loadline
