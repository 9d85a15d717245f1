// Lines of a table as RFC 4180 has them, with \n for the end of a line. Pure functions, safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

// Quoted where it needs that.
std::string csv_field(std::string_view text);

// With ten digits; empty for none.
std::string csv_number(const std::optional<double>& value);

// Of fields that are quoted already.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace loadline
