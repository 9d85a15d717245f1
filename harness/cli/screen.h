// What the terminal that people read on is like: how wide, and whether it shows colours.
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

enum class Colours { kAuto, kAlways, kNever };

// The words of --color, and what one of them means; throws usage Error for another.
std::vector<std::string_view> colour_names();
Colours colours_named(std::string_view name);

// Columns of the terminal that the stream leads to, or 80 where it does not know; nullopt if it leads to none.
std::optional<std::size_t> terminal_columns(std::FILE* stream);

// Columns for text on this stream: $COLUMNS, or those of its terminal; of a pipe or a file no limit.
std::size_t width_of(std::FILE* stream);

// The same for help, which is the easier to read the narrower it is: 80 columns at the most, unless $COLUMNS says more.
std::size_t help_width(std::FILE* stream);

// Whether verdicts are coloured on this stream. Automatically they are on a terminal that can, unless $NO_COLOR says no
// (no-color.org).
bool shows_colours(std::FILE* stream, Colours colours);

// Sentences and tables for people: wrapped to the width of the stream, and coloured if it shows that. Like put() it
// never throws.
void put_text(std::FILE* stream, std::string_view text, Colours colours = Colours::kNever);

}  // namespace loadline
