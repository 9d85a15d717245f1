#include "harness/show/paint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace loadline {
namespace {

struct Colour {
  std::string_view word;
  int code;  // of ECMA-48, Select Graphic Rendition
};

constexpr std::array kColours{Colour{"regression", 31}, Colour{"improvement", 32}, Colour{"inconclusive", 33},
                              Colour{"missing", 31}};

std::string in_colour(const Colour& colour) {
  return fmt::format("\033[{}m{}\033[0m", colour.code, colour.word);
}

std::string painted_line(std::string_view line) {
  // The last column of a row, before the number of a reason: "inconclusive [1]".
  const std::string_view row = line.substr(0, line.ends_with(']') ? line.rfind(" [") : std::string_view::npos);
  for (const Colour& colour : kColours) {
    if (line.starts_with(fmt::format("{}:", colour.word))) {
      return in_colour(colour) + std::string(line.substr(colour.word.size()));
    }
    if (row.ends_with(fmt::format("  {}", colour.word))) {
      return fmt::format("{}{}{}", row.substr(0, row.size() - colour.word.size()), in_colour(colour),
                         line.substr(row.size()));
    }
  }
  return std::string(line);
}

}  // namespace

std::string painted(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += painted_line(text.substr(0, end));
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace loadline
