#include "harness/show/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "loaders/printable.h"

namespace loadline {
namespace {

// UTF-8 counts as characters, not bytes: "±" is one column wide.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

}  // namespace

std::string aligned(const std::vector<Row>& given, const std::vector<std::size_t>& left) {
  std::vector<Row> rows = given;
  for (Row& row : rows) std::ranges::for_each(row, [](std::string& cell) { cell = printable(cell); });
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - columns(row[i]), ' ');
      line += std::ranges::find(left, i) != left.end() ? row[i] + padding : padding + row[i];
      if (i + 1 < row.size()) line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string plural(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string loader_text(const std::string& loader, std::size_t workers) {
  return workers == 0 ? loader : fmt::format("{} x {}", loader, workers);
}

std::string axes_words(std::string_view axes) {
  std::string text(axes.substr(axes.empty() ? 0 : 1));
  // Only a slash before the name of an axis separates: no setting that is an axis has one in its value.
  std::ranges::replace(text, '/', ' ');
  return text;
}

}  // namespace loadline
