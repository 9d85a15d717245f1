// Text in as many columns as a terminal has. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace loadline {

// Of a pipe or a file, where nothing wraps.
inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// Columns that a terminal needs for UTF-8 text without line ends: "±" takes one, characters of East Asian scripts two.
std::size_t columns_of(std::string_view text);

// Breaks each line that is longer than `width` at spaces, and indents what follows: to its second column of text where
// the line has one behind two or more spaces, else by two. Never breaks inside a figure ("3.36 ± 0.16 M", "95 %") nor
// inside a word. A command, a line that begins with two spaces and "loadline ", continues behind a backslash, so that a
// shell takes it as it stands.
std::string wrapped(std::string_view text, std::size_t width);

// One line of at most `width` columns: of `head` as much as fits, "..." in place of what is missing, never a part of a
// figure, and `tail` behind it. Where not even the tail has room, the head alone.
std::string shortened_line(std::string_view head, std::string_view tail, std::size_t width);

}  // namespace loadline
