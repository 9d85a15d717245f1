#include "harness/forecast/named_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

struct NamedMagnitude {
  std::string_view ending;
  double factor;
};

constexpr std::array kMagnitudes{
    NamedMagnitude{"", 1},        NamedMagnitude{"k", 1e3},     NamedMagnitude{"M", 1e6},
    NamedMagnitude{"G", 1e9},     NamedMagnitude{"T", 1e12},    NamedMagnitude{"P", 1e15},
    NamedMagnitude{"Ki", 0x1p10}, NamedMagnitude{"Mi", 0x1p20}, NamedMagnitude{"Gi", 0x1p30},
    NamedMagnitude{"Ti", 0x1p40}, NamedMagnitude{"Pi", 0x1p50}};

std::optional<double> with_magnitude(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{}) return std::nullopt;
  const std::string_view ending(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto* const found = std::ranges::find(kMagnitudes, ending, &NamedMagnitude::ending);
  if (found == kMagnitudes.end()) return std::nullopt;
  value *= found->factor;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

double number_in(std::string_view option, std::string_view text, const NumberPart& part) {
  const auto value = with_magnitude(text);
  if (!value || *value < part.least || *value > part.most || (part.above_least && *value == part.least) ||
      (part.whole && std::floor(*value) != *value)) {
    throw usage_error(fmt::format("{}: want a {}number {} {:g} and at most {:g}, got '{}'", option,
                                  part.whole ? "whole " : "", part.above_least ? "above" : "of at least", part.least,
                                  part.most, text));
  }
  return *value;
}

}  // namespace

double read_number(std::string_view option, std::string_view text, double least, double most) {
  return number_in(option, text, {.name = {}, .value = nullptr, .least = least, .most = most});
}

void read_numbers(std::string_view option, std::string_view text, std::span<const NumberPart> parts) {
  std::vector<std::string_view> given;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) {
      throw usage_error(
          fmt::format("{}: want NAME=NUMBER, got '{}'; names are {}", option, one, list_of(names_of(parts))));
    }
    const NumberPart& part = row_named(parts, option, one.substr(0, equals));
    if (std::ranges::find(given, part.name) != given.end()) {
      throw usage_error(fmt::format("{}: {} is given twice", option, part.name));
    }
    given.push_back(part.name);
    *part.value = number_in(fmt::format("{}: {}", option, part.name), one.substr(equals + 1), part);
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace loadline
