// A table of a report: HTML and Markdown show it, and the page draws its charts from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace loadline {

// What a column holds, which decides how its numbers are written.
enum class Figure {
  kText,
  kCount,    // "1234"
  kAmount,   // "12.35", "24110", "1.804 G", in the unit given in the title or in another column
  kRate,     // "1.235 M"
  kSeconds,  // "67 µs"
  kShare,    // "93.1 %"
};

struct Column {
  std::string_view key;  // by which charts refer to it
  std::string title;     // with the unit, if the figures have none
  Figure figure = Figure::kText;
};

// Several numbers of one row, such as one per trial; nullopt for an unknown one.
struct Values {
  std::vector<std::optional<double>> numbers;

  bool operator==(const Values&) const = default;
};

// An absent value is std::monostate, never 0 or NaN.
using Datum = std::variant<std::monostate, std::string, double, Values>;

struct DataTable {
  std::vector<Column> columns;
  std::vector<std::vector<Datum>> rows;  // each with one datum per column
};

// "-" for an absent value; for more than twenty numbers only how many there are.
std::string text_of(const Datum& datum, Figure figure);

// `table` without the columns that are empty in every row, and without the column of this key.
DataTable without(const DataTable& table, std::string_view key);
DataTable without_empty_columns(const DataTable& table);
// `table` without the columns that have several numbers in one row.
DataTable without_values(const DataTable& table);

}  // namespace loadline
