// Lines of a table as in RFC 4180, but ending in \n. Pure functions, safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

// A field with text from outside, made printable (printable.h) and quoted where needed. A spreadsheet would run text
// that begins with = + - @ as a formula: such text, unless it is a number, gets a ' before it, as in '=1+1.
std::string csv_field(std::string_view text);

// A number with ten digits, or whole if it needs more; empty for nullopt.
std::string csv_number(const std::optional<double>& value);

// A line of fields that are already quoted.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace loadline
