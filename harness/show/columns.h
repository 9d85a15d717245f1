// Text in columns, and the wording that tables share. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

using Row = std::vector<std::string>;

// One line per row; all rows have as many columns as the first. Columns in `left` are flush left, the others flush
// right.
std::string aligned(const std::vector<Row>& rows, const std::vector<std::size_t>& left);

// The layout of a table, and which columns, by header, may be left out if it is wider than the terminal.
struct TableShape {
  std::vector<std::size_t> left;             // columns flush left
  std::vector<std::string_view> constant;    // left out first, if all rows have the same value there
  std::vector<std::string_view> expendable;  // left out next, in this order
  // Shortened in the middle, to no less than 16 columns and never so that two become equal, before any of these is.
  std::vector<std::string_view> names = {};
  // Of a figure such as "20 % (5 to 60 %)" or "x 1.0 (0.7 to 1.4)" only the interval is kept, "x 0.7 to 1.4" of the
  // latter, before any of the expendable ones is left out.
  std::vector<std::string_view> intervals = {};
};

// aligned() in at most `width` columns; the first row has the headers. A line below the table says what was left out,
// with the value of a constant column, and what was shortened. A row that is still too wide continues on
// further lines, each beginning with a whole column.
std::string fitted(const std::vector<Row>& rows, const TableShape& shape, std::size_t width);

// `value` with that many significant digits, or whole if it needs more: "0.01235", "12.35", "24110". Without the
// exponent of {:g}, and never "-0".
std::string plain_number(double value, int digits);
// With that many decimals, and never "-0.0".
std::string fixed_number(double value, int decimals);

// "serial", "thread-pool x 2".
std::string loader_text(const std::string& loader, std::size_t workers);

// The axes of a cell's name as words: "prefetch:4 dtype:u8" for "/prefetch:4/dtype:u8"; empty for no axes.
std::string axes_words(std::string_view axes);
// "mnist"; "tokens sequence_length:64" where a sweep makes several tasks of the workload.
std::string subject_words(std::string_view workload, std::string_view task);

}  // namespace loadline
