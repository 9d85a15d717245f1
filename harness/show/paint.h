// Colour for terminals: only the words of a verdict have one. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// Red for a regression and for missing cells, green for an improvement, yellow for inconclusive: where the word
// begins a line and a colon follows, or is in the last column of a table. Equivalent stays plain.
std::string painted(std::string_view text);

}  // namespace loadline
