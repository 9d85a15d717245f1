// Lines of a table as RFC 4180 has them, with \n for the end of a line. Pure functions, safe from any thread.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

// Quoted where it needs that.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of("\",\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

// With ten digits; empty for none.
inline std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{:.10g}", *value) : "";
}

// Of fields that are quoted already.
inline std::string csv_line(const std::vector<std::string>& fields) {
  return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace loadline
