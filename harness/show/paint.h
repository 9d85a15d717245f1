// Colour for terminals: of the words of a verdict, and of nothing else. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// Red for a regression and for what is missing, green for an improvement, yellow for what is inconclusive: where the
// word begins a line and a colon follows, or stands in the last column of a table. Equivalent stays plain.
std::string painted(std::string_view text);

}  // namespace loadline
