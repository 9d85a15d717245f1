// Placeholders and limits that the table of options shares with the code that parses option values.
#pragma once

#include <string_view>

namespace loadline {

// Placeholders whose numbers take units: "20m" is 1200 seconds, "1%" is 0.01.
inline constexpr std::string_view kDurationValue = "DURATION";
inline constexpr std::string_view kShareValue = "SHARE";

inline constexpr double kMostMonitorPeriod = 3600;  // seconds, of --monitor

}  // namespace loadline
