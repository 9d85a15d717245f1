// Text wrapped to the width of a terminal. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace loadline {

// The width for a pipe or a file, where nothing wraps.
inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// Columns that UTF-8 text without line ends takes on a terminal: "±" takes one, characters of East Asian scripts two.
std::size_t columns_of(std::string_view text);

// Breaks each line that is longer than `width` at spaces, and indents its continuation: to the line's second column
// of text, if it has one after two or more spaces, else by two. Never breaks inside a figure ("3.36 ± 0.16 M", "95
// %") nor inside a word. A command, that is, a line that begins with two spaces and "loadline " or "python3 -m
// loadline ", is continued with a backslash, so that it can be pasted into a shell.
std::string wrapped(std::string_view text, std::size_t width);

// At most `width` columns of a name: of one that is longer, as much of both ends as fits, more of the end than of the
// beginning, with "…" in between.
std::string shortened_name(std::string_view name, std::size_t width);

// One line of at most `width` columns: as much of `head` as fits, without splitting a figure, "..." for what is
// missing, then `tail`. If not even the tail fits, the head alone.
std::string shortened_line(std::string_view head, std::string_view tail, std::size_t width);

}  // namespace loadline
