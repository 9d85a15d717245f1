// Text in columns, and the words that tables share. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

using Row = std::vector<std::string>;

// A line a row, all of which have as many columns as the first. Those of `left` are flush left, the others right; a
// character of UTF-8 is one column wide.
std::string aligned(const std::vector<Row>& rows, const std::vector<std::size_t>& left);

// "1 cell", "2 cells".
std::string plural(std::size_t count, std::string_view thing);

// "serial", "thread-pool x 2".
std::string loader_text(const std::string& loader, std::size_t workers);

// The axes of a cell's name as words: "prefetch:4 dtype:u8" of "/prefetch:4/dtype:u8", and nothing of nothing.
std::string axes_words(std::string_view axes);

}  // namespace loadline
