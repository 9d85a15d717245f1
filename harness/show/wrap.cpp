#include "harness/show/wrap.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace loadline {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Unicode Standard Annex 11: wide and full-width characters, by their blocks.
constexpr std::array kWide{Range{0x1100, 0x115f},  Range{0x2e80, 0xa4cf},   Range{0xac00, 0xd7a3},
                           Range{0xf900, 0xfaff},  Range{0xfe30, 0xfe6f},   Range{0xff00, 0xff60},
                           Range{0xffe0, 0xffe6},  Range{0x1f300, 0x1f64f}, Range{0x1f900, 0x1f9ff},
                           Range{0x20000, 0x3fffd}};
constexpr std::array kWithoutWidth{Range{0x0300, 0x036f}, Range{0x200b, 0x200f}, Range{0xfe00, 0xfe0f}};

bool is_in(std::uint32_t character, const auto& ranges) {
  return std::ranges::any_of(ranges,
                             [&](const Range& range) { return character >= range.first && character <= range.last; });
}

struct Character {
  std::uint32_t code;
  std::size_t bytes;
};

// Each byte that is not valid UTF-8 counts as one character.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes == 1 || bytes > text.size()) return {lead, 1};
  std::uint32_t code = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) return {lead, 1};
    code = code << 6U | (next & 0x3fU);
  }
  return {code, bytes};
}

// Of valid UTF-8.
std::size_t last_character_bytes(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[text.size() - bytes]) & 0xc0U) == 0x80U) ++bytes;
  return bytes;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view word_before(std::string_view text) {
  const auto space = text.find_last_of(' ');
  return space == std::string_view::npos ? text : text.substr(space + 1);
}

std::string_view word_after(std::string_view text) {
  std::string_view word = text.substr(0, text.find(' '));
  while (!word.empty() && std::string_view(".,;:)").find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  return word;
}

bool is_one_of(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

// Whether a figure continues after the space: "3.36 ± 0.16 M", "95 %", "thread-pool x 2", "p < 0.001".
bool joins(std::string_view before, std::string_view after) {
  using std::string_view_literals::operator""sv;
  constexpr std::array kGlue{"±"sv, "x"sv, "<"sv, "="sv};
  constexpr std::array kUnits{"%"sv,   "k"sv, "M"sv,   "G"sv,   "s"sv,   "ms"sv,    "µs"sv,     "ns"sv,
                              "min"sv, "h"sv, "KiB"sv, "MiB"sv, "GiB"sv, "bytes"sv, "columns"sv};
  const std::string_view left = word_before(before);
  const std::string_view right = word_after(after);
  if (is_one_of(left, kGlue) || is_one_of(right, kGlue)) return true;
  return !left.empty() && is_digit(left.back()) && is_one_of(right, kUnits);
}

// The quoted parts of a command are single words.
bool is_quoted(std::string_view before) {
  return std::ranges::count(before, '\'') % 2 != 0;
}

// Where to break a line at `width` columns: the last space that fits, or the first one after if none does; npos:
// nowhere.
std::size_t end_of_line(std::string_view text, std::size_t indent, std::size_t width, bool command) {
  std::size_t end = std::string_view::npos;
  std::size_t used = indent;
  std::size_t at = std::min(text.find_first_not_of(' '), text.size());
  used += at;
  while (at < text.size()) {
    if (text[at] == ' ') {
      const auto next = text.find_first_not_of(' ', at);
      if (next == std::string_view::npos) break;
      const bool whole = command ? is_quoted(text.substr(0, at)) : joins(text.substr(0, at), text.substr(next));
      if (!whole) {
        if (used > width && end != std::string_view::npos) return end;
        end = at;
        if (used > width) return end;
      }
      used += next - at;
      at = next;
      continue;
    }
    const Character character = first_character(text.substr(at));
    used += columns_of(text.substr(at, character.bytes));
    at += character.bytes;
  }
  return used > width ? end : std::string_view::npos;
}

// The column in which the continuation of a broken line begins.
std::size_t indent_of(std::string_view line, std::size_t width) {
  const std::size_t margin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", margin);
  if (gap != std::string_view::npos) {
    const std::size_t second = std::min(line.find_first_not_of(' ', gap), line.size());
    const std::size_t column = columns_of(line.substr(0, second));
    if (column <= width / 2) return column;
  }
  return margin + 2;
}

void append_wrapped(std::string& text, std::string_view line, std::size_t width) {
  const bool command = line.starts_with("  loadline ") || line.starts_with("  python3 -m loadline ");
  const std::size_t most = command ? width - std::min<std::size_t>(width, 2) : width;  // room for " \"
  const std::size_t indent = command ? 4 : indent_of(line, width);
  std::size_t margin = 0;
  while (columns_of(line) + margin > width) {
    const std::size_t end = end_of_line(line, margin, most, command);
    if (end == std::string_view::npos) break;
    text += std::string(margin, ' ');
    text += line.substr(0, end);
    text += command ? " \\\n" : "\n";
    line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
    margin = indent;
  }
  text += std::string(margin, ' ');
  text += line;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    columns += is_in(character.code, kWide) ? 2 : is_in(character.code, kWithoutWidth) ? 0 : 1;
    text.remove_prefix(character.bytes);
  }
  return columns;
}

std::string wrapped(std::string_view text, std::size_t width) {
  if (width == kUnlimited) return std::string(text);
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    append_wrapped(lines, text.substr(0, end), width);
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string shortened_name(std::string_view name, std::size_t width) {
  if (columns_of(name) <= width) return std::string(name);
  constexpr std::string_view kMissing = "…";
  const std::size_t most = width - std::min(width, columns_of(kMissing));
  const std::size_t of_head = most / 3;
  std::string_view head = name;
  while (columns_of(head) > of_head) head.remove_suffix(last_character_bytes(head));
  std::string_view tail = name;
  while (columns_of(tail) > most - of_head) tail.remove_prefix(first_character(tail).bytes);
  return fmt::format("{}{}{}", head, kMissing, tail);
}

std::string shortened_line(std::string_view head, std::string_view tail, std::size_t width) {
  constexpr std::string_view kMissing = "...";
  const std::size_t of_tail = columns_of(tail);
  if (columns_of(head) + of_tail <= width) return std::string(head) + std::string(tail);
  if (of_tail + kMissing.size() >= width) tail = "";
  const std::size_t most = width - columns_of(tail);
  if (columns_of(head) <= most) return std::string(head) + std::string(tail);
  if (most <= kMissing.size()) return "";
  std::size_t fits = 0;
  std::size_t used = kMissing.size();
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t bytes = first_character(head.substr(at)).bytes;
    used += columns_of(head.substr(at, bytes));
    if (used > most) break;
    at += bytes;
    fits = at;
  }
  // A truncated figure would be a different figure; the rest of a truncated name is still useful.
  const std::string_view word = word_before(head.substr(0, fits));
  if (!word.empty() && is_digit(word.front()) && head[fits] != ' ') fits -= word.size();
  return std::string(head.substr(0, fits)) + std::string(kMissing) + std::string(tail);
}

}  // namespace loadline
