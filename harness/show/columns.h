// Text in columns, and the words that tables share. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

using Row = std::vector<std::string>;

// A line a row, all of which have as many columns as the first. Those of `left` are flush left, the others right.
std::string aligned(const std::vector<Row>& rows, const std::vector<std::size_t>& left);

// What a table looks like, and which columns, by header, may go if it is wider than the terminal.
struct TableShape {
  std::vector<std::size_t> left;             // columns flush left
  std::vector<std::string_view> constant;    // left out first, where all rows have the same there
  std::vector<std::string_view> expendable;  // left out then, the first first
};

// aligned() in at most `width` columns; the first row has the headers. A line behind the table says what was left out,
// and of a constant its value. What is still too wide goes on in further lines, each begun with a whole column.
std::string fitted(const std::vector<Row>& rows, const TableShape& shape, std::size_t width);

// "serial", "thread-pool x 2".
std::string loader_text(const std::string& loader, std::size_t workers);

// The axes of a cell's name as words: "prefetch:4 dtype:u8" of "/prefetch:4/dtype:u8", and nothing of nothing.
std::string axes_words(std::string_view axes);

}  // namespace loadline
