// Lines of a table as RFC 4180 has them, with \n for the end of a line. Pure functions, safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

// Text from outside, for a line of its own (printable.h): quoted where it needs that. A spreadsheet takes what begins
// with = + - @ for a formula and would do what it says: such text, unless it is a number, gets a ' before it, as in
// '=1+1.
std::string csv_field(std::string_view text);

// With ten digits; empty for none.
std::string csv_number(const std::optional<double>& value);

// Of fields that are quoted already.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace loadline
