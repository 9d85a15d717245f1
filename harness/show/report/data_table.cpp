#include "harness/show/report/data_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "harness/judge/phrase.h"
#include "harness/show/columns.h"
#include "harness/show/table.h"

namespace loadline {
namespace {

std::string number_text(double value, Figure figure) {
  switch (figure) {
    case Figure::kCount: return fixed_number(value, 0);
    case Figure::kRate: return value > 0 ? rate_text(summarize(std::array{value})) : plain_number(value, 4);
    case Figure::kSeconds: return duration(value);
    case Figure::kShare: return fmt::format("{} %", fixed_number(100 * value, 1));
    case Figure::kText:
    case Figure::kAmount: break;
  }
  return amount_text(value);
}

std::string values_text(const Values& values, Figure figure) {
  constexpr std::size_t kMost = 20;
  if (values.numbers.empty()) return "-";
  if (values.numbers.size() > kMost) return fmt::format("{} values", values.numbers.size());
  std::string text;
  for (const auto& number : values.numbers) {
    text += (text.empty() ? "" : ", ") + (number ? number_text(*number, figure) : std::string("-"));
  }
  return text;
}

// The columns for which `keep` holds.
template <typename Keep>
DataTable columns_kept(const DataTable& table, const Keep& keep) {
  DataTable kept;
  kept.rows.resize(table.rows.size());
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (!keep(column)) continue;
    kept.columns.push_back(table.columns[column]);
    for (std::size_t row = 0; row < table.rows.size(); ++row) kept.rows[row].push_back(table.rows[row][column]);
  }
  return kept;
}

}  // namespace

std::string text_of(const Datum& datum, Figure figure) {
  if (const auto* text = std::get_if<std::string>(&datum)) return *text;
  if (const auto* number = std::get_if<double>(&datum)) return number_text(*number, figure);
  if (const auto* values = std::get_if<Values>(&datum)) return values_text(*values, figure);
  return "-";
}

DataTable without(const DataTable& table, std::string_view key) {
  return columns_kept(table, [&](std::size_t column) { return table.columns[column].key != key; });
}

DataTable without_empty_columns(const DataTable& table) {
  return columns_kept(table, [&](std::size_t column) {
    return std::ranges::any_of(table.rows, [&](const auto& row) { return row[column] != Datum(); });
  });
}

DataTable without_values(const DataTable& table) {
  return columns_kept(table, [&](std::size_t column) {
    return std::ranges::none_of(table.rows,
                                [&](const auto& row) { return std::holds_alternative<Values>(row[column]); });
  });
}

}  // namespace loadline
