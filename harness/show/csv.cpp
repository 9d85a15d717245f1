#include "harness/show/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "loaders/printable.h"

namespace loadline {
namespace {

bool is_formula(std::string_view text) {
  // Spreadsheets skip blanks, and some accept the full-width forms of these characters.
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  const std::string_view rest = text.substr(first);
  constexpr std::string_view kFullWidth[] = {"\uff1d", "\uff0b", "\uff0d", "\uff20"};
  const bool begins = std::string_view("=+-@").find(rest.front()) != std::string_view::npos ||
                      std::ranges::any_of(kFullWidth, [&](std::string_view sign) { return rest.starts_with(sign); });
  if (!begins) return false;
  double number = 0;
  const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return status != std::errc{} || end != rest.data() + rest.size();
}

}  // namespace

std::string csv_field(std::string_view text) {
  const std::string field = (is_formula(text) ? "'" : "") + printable(text);
  if (field.find_first_of("\",") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string csv_number(const std::optional<double>& value) {
  constexpr double kWhole = 9999999999.5;  // from here on {:.10g} has an exponent
  if (!value) return "";
  return std::abs(*value) < kWhole ? fmt::format("{:.10g}", *value) : fmt::format("{:.0f}", *value);
}

std::string csv_line(const std::vector<std::string>& fields) {
  return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace loadline
