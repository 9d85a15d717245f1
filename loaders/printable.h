// Makes text from outside, such as a file name, safe to show on one line.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// Makes visible whatever could end the line, command a terminal or reverse the direction of text: control characters
// become \n or \x1b, Unicode characters with such effects become \u202e, and bytes that are not UTF-8 become \xff.
// Everything else stays unchanged.
std::string printable(std::string_view text);

// The same for text of several lines: line ends stay.
std::string printable_lines(std::string_view text);

}  // namespace loadline
