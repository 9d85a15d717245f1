// A table of a report: what HTML and Markdown show, and what the charts of the page are drawn from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace loadline {

// What a column holds, and so how its numbers are written for people.
enum class Figure {
  kText,
  kCount,    // "1234"
  kAmount,   // "12.35", in the unit that the title names
  kRate,     // "1.235 M"
  kSeconds,  // "67 µs"
  kShare,    // "93.1 %"
};

struct Column {
  std::string_view key;  // by which charts know it
  std::string title;     // with the unit, where the figures have none of their own
  Figure figure = Figure::kText;
};

// Several numbers of one row, such as one a trial; none where one is not known.
struct Values {
  std::vector<std::optional<double>> numbers;

  bool operator==(const Values&) const = default;
};

// Nothing, where there is no value: never 0 or NaN.
using Datum = std::variant<std::monostate, std::string, double, Values>;

struct DataTable {
  std::vector<Column> columns;
  std::vector<std::vector<Datum>> rows;  // as many data each as there are columns
};

// "-" for nothing; of more than twenty numbers only how many there are.
std::string text_of(const Datum& datum, Figure figure);

// `table` without the columns that have nothing in any row, and without that of this key.
DataTable without(const DataTable& table, std::string_view key);
DataTable without_empty_columns(const DataTable& table);
// `table` without the columns that have several numbers in a row.
DataTable without_values(const DataTable& table);

}  // namespace loadline
