#include "harness/plan/conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "loaders/error.h"

namespace loadline {
namespace {

using Relation = Condition::Relation;

// Longer signs first; otherwise `<` would match in `<=`.
constexpr std::array kSigns{
    std::pair<std::string_view, Relation>{"!=", Relation::kUnequal},
    std::pair<std::string_view, Relation>{"<=", Relation::kLessEqual},
    std::pair<std::string_view, Relation>{">=", Relation::kGreaterEqual},
    std::pair<std::string_view, Relation>{"=", Relation::kEqual},
    std::pair<std::string_view, Relation>{"<", Relation::kLess},
    std::pair<std::string_view, Relation>{">", Relation::kGreater},
};

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool compares_numbers(Relation relation) {
  return relation != Relation::kEqual && relation != Relation::kUnequal;
}

Condition parse_one(std::string_view option, std::string_view text) {
  const auto place = text.find_first_of("=!<>");
  const auto wrong = [&](std::string_view why) {
    return usage_error(fmt::format("{}: {}, got '{}'", option, why, text));
  };
  if (place == std::string_view::npos) throw wrong("want conditions such as loader=serial, workers=1,2 or workers>1");
  for (const auto& [sign, relation] : kSigns) {
    if (!text.substr(place).starts_with(sign)) continue;
    std::string name(text.substr(0, place));
    std::ranges::replace(name, '-', '_');
    Condition condition{.text = std::string(text),
                        .setting = &setting_named(fmt::format("{}: setting", option), name),
                        .relation = relation,
                        .value = std::string(text.substr(place + sign.size()))};
    if (condition.value.empty()) throw wrong("want a value after the sign");
    if (compares_numbers(relation) && !number(condition.value)) throw wrong("only numbers can be ordered");
    return condition;
  }
  throw wrong("want one of = != < <= > >= between setting and value");
}

// Case does not matter: modes are in capitals in results but not in options.
bool same_text(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool holds(const Condition& condition, const Cell& cell, bool where_absent) {
  const SettingValue value = condition.setting->read(cell);
  if (std::holds_alternative<std::monostate>(value)) return where_absent;
  const std::string text = text_of(value);
  const bool same = same_text(text, condition.value) || same_text(as_option(value), condition.value);
  if (condition.relation == Relation::kEqual) return same;
  if (condition.relation == Relation::kUnequal) return !same;
  const auto left = number(text);
  const auto right = number(condition.value);
  if (!left || !right) return false;
  switch (condition.relation) {
    case Relation::kLess: return *left < *right;
    case Relation::kLessEqual: return *left <= *right;
    case Relation::kGreater: return *left > *right;
    default: return *left >= *right;
  }
}

}  // namespace

Conjunction parse_conditions(std::string_view option, std::string_view text) {
  Conjunction conditions;
  while (!text.empty()) {
    const auto space = text.find(' ');
    if (const auto one = text.substr(0, space); !one.empty()) conditions.push_back(parse_one(option, one));
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  if (conditions.empty())
    throw usage_error(
        fmt::format("{}: want conditions such as loader=serial, workers=1,2 or workers>1, got ''", option));
  return conditions;
}

bool hold(const Conjunction& conditions, const Cell& cell, bool where_absent) {
  return std::ranges::all_of(conditions, [&](const auto& condition) { return holds(condition, cell, where_absent); });
}

void check_any_meets(std::string_view option, const Conjunction& conditions, std::span<const Cell> cells) {
  for (const Condition& condition : conditions) {
    if (std::ranges::any_of(cells, [&](const Cell& cell) { return holds(condition, cell, false); })) continue;
    std::vector<std::string> values;
    for (const Cell& cell : cells) {
      std::string value = as_option(condition.setting->read(cell));
      if (!value.empty() && std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
    }
    throw usage_error(fmt::format("{}: no cell meets {}; {}", option, condition.text,
                                  values.empty()
                                      ? fmt::format("{} applies to none", condition.setting->name)
                                      : fmt::format("{} is {}", condition.setting->name, fmt::join(values, " or "))));
  }
}

}  // namespace loadline
