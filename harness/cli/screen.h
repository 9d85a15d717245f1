// The user's terminal: how wide it is and whether it shows colours.
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

enum class Colours { kAuto, kAlways, kNever };

// The words of --color, and the meaning of one; throws usage Error for an unknown word.
std::vector<std::string_view> colour_names();
Colours colours_named(std::string_view name);

// The columns of the terminal that the stream writes to, or 80 if it does not report them; nullopt if it is not a
// terminal.
std::optional<std::size_t> terminal_columns(std::FILE* stream);

// The columns for text on this stream: $COLUMNS, or those of its terminal; no limit for a pipe or a file.
std::size_t width_of(std::FILE* stream);

// The same for help, which is easier to read when narrow: at most 80 columns, unless $COLUMNS says more.
std::size_t help_width(std::FILE* stream);

// Whether verdicts are coloured on this stream. With kAuto, a terminal that supports colours gets them, unless
// $NO_COLOR is set (no-color.org).
bool shows_colours(std::FILE* stream, Colours colours);

// Sentences and tables for people: wrapped to the width of the stream, and coloured if it shows colours. Like put(),
// never throws.
void put_text(std::FILE* stream, std::string_view text, Colours colours = Colours::kNever);

}  // namespace loadline
