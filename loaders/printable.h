// Text from outside, such as a file's name, as it can be shown on a line of its own.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// What could end the line, command a terminal or turn the direction of text becomes visible instead: control characters
// as \n or \x1b, the characters of Unicode that do the same as \u202e, and bytes that are no UTF-8 as \xff. All else
// stays as it is.
std::string printable(std::string_view text);

// The same of a text of several lines: the ends of lines stay.
std::string printable_lines(std::string_view text);

}  // namespace loadline
