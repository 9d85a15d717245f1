#include "harness/show/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loadline {

std::string csv_field(std::string_view text) {
  if (text.find_first_of("\",\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{:.10g}", *value) : "";
}

std::string csv_line(const std::vector<std::string>& fields) {
  return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace loadline
