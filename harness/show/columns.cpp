#include "harness/show/columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "harness/plan/settings.h"
#include "harness/show/wrap.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

constexpr std::size_t kGap = 2;     // between columns
constexpr std::size_t kIndent = 4;  // of the further lines of a row
constexpr std::size_t kShortestName = 16;

std::vector<std::size_t> widths_of(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  return widths;
}

using Indices = std::vector<std::size_t>;

// The width that these columns take side by side.
std::size_t width_of(const Indices& columns, const std::vector<std::size_t>& widths) {
  std::size_t width = columns.empty() ? 0 : kGap * (columns.size() - 1);
  for (const std::size_t column : columns) width += widths[column];
  return width;
}

std::string line_of(const Row& row, const Indices& columns, const std::vector<std::size_t>& widths,
                    const Indices& left) {
  std::string line;
  for (const std::size_t column : columns) {
    const std::string padding(widths[column] - columns_of(row[column]), ' ');
    if (column != columns.front()) line += std::string(kGap, ' ');
    line += std::ranges::find(left, column) != left.end() ? row[column] + padding : padding + row[column];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

bool is_constant(const std::vector<Row>& rows, std::size_t column) {
  return std::ranges::all_of(rows.begin() + 1, rows.end(),
                             [&](const Row& row) { return row[column] == rows[1][column]; });
}

// As many columns per line as fit, but at least one.
std::vector<Indices> lines_of(const Indices& columns, const std::vector<std::size_t>& widths, std::size_t width) {
  std::vector<Indices> lines{{}};
  for (const std::size_t column : columns) {
    Indices longer = lines.back();
    longer.push_back(column);
    const std::size_t margin = lines.size() > 1 ? kIndent : 0;
    if (lines.back().empty() || margin + width_of(longer, widths) <= width) {
      lines.back() = std::move(longer);
    } else {
      lines.push_back({column});
    }
  }
  return lines;
}

bool stay_different(const std::set<std::string>& names, std::size_t width) {
  std::set<std::string> shortened;
  return std::ranges::all_of(
      names, [&](const std::string& one) { return shortened.insert(shortened_name(one, width)).second; });
}

// As narrow as names of at most `width` columns may be without two that become equal. What a wider name shows contains
// what a narrower one shows, so names that differ there differ at any larger width.
std::size_t narrowest(const std::set<std::string>& names, std::size_t width) {
  std::size_t least = std::min(kShortestName, width);
  while (least < width) {
    const std::size_t middle = least + (width - least) / 2;
    if (stay_different(names, middle)) {
      width = middle;
    } else {
      least = middle + 1;
    }
  }
  return width;
}

// The widths where every name takes as little as it may.
std::vector<std::size_t> widths_with_short_names(const std::vector<Row>& rows, const TableShape& shape,
                                                 const std::vector<std::size_t>& widths) {
  std::vector<std::size_t> narrow = widths;
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (std::ranges::find(shape.names, rows.front()[column]) == shape.names.end()) continue;
    std::set<std::string> names;
    for (const Row& row : rows) names.insert(row[column]);
    narrow[column] = narrowest(names, widths[column]);
  }
  return narrow;
}

// "5 to 60 %" for "20 % (5 to 60 %)", "x 0.7 to 1.4" for "x 1.0 (0.7 to 1.4)"; any other text as it is.
std::string interval_alone(const std::string& figure) {
  const auto open = figure.find(" (");
  if (open == std::string::npos || !figure.ends_with(')') || figure.find(" to ", open) == std::string::npos)
    return figure;
  return (figure.starts_with("x ") ? "x " : "") + figure.substr(open + 2, figure.size() - open - 3);
}

// Keeps only the intervals of such figures; returns the headers of the columns that it shortened.
std::vector<std::string> keep_intervals(std::vector<Row>& rows, const TableShape& shape) {
  std::vector<std::string> headers;
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    if (std::ranges::find(shape.intervals, rows.front()[column]) == shape.intervals.end()) continue;
    bool any = false;
    for (Row& row : rows) {
      std::string alone = interval_alone(row[column]);
      any = any || alone != row[column];
      row[column] = std::move(alone);
    }
    if (any) headers.push_back(rows.front()[column]);
  }
  return headers;
}

// Shortens names by as little as lets these columns fit one line, the last column first; returns the headers of those
// that it shortened.
std::vector<std::string> shorten_names(std::vector<Row>& rows, const Indices& columns,
                                       const std::vector<std::size_t>& narrow, std::size_t width) {
  std::vector<std::string> headers;
  std::size_t spare = width - std::min(width, width_of(columns, narrow));
  const std::vector<std::size_t> widths = widths_of(rows);
  for (const std::size_t column : columns) {
    const std::size_t more = std::min(spare, widths[column] - narrow[column]);
    spare -= more;
    if (narrow[column] + more == widths[column]) continue;
    headers.push_back(rows.front()[column]);
    for (Row& row : rows) row[column] = shortened_name(row[column], narrow[column] + more);
  }
  return headers;
}

}  // namespace

std::string aligned(const std::vector<Row>& rows, const std::vector<std::size_t>& left) {
  return fitted(rows, {.left = left, .constant = {}, .expendable = {}}, kUnlimited);
}

std::string fitted(const std::vector<Row>& given, const TableShape& shape, std::size_t width) {
  std::vector<Row> rows = given;
  for (Row& row : rows) std::ranges::for_each(row, [](std::string& cell) { cell = printable(cell); });
  std::vector<std::size_t> full = widths_of(rows);
  std::vector<std::size_t> narrow = widths_with_short_names(rows, shape, full);
  // What a row with at most this many lines shows, and the names of what it leaves out.
  Indices columns;
  std::vector<std::string> left_out;
  std::vector<std::string> intervals;
  const auto leave_out_until = [&](std::size_t most_lines, const std::vector<std::size_t>& least) {
    columns.resize(rows.front().size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    left_out.clear();
    const auto fits = [&](const std::vector<std::size_t>& widths) {
      return lines_of(columns, widths, width).size() <= most_lines;
    };
    const auto leave_out = [&](std::string_view header, bool constant) {
      const auto column = std::ranges::find(columns, header, [&](std::size_t i) { return rows.front()[i]; });
      if (fits(constant ? full : least) || column == columns.end()) return;
      if (constant && (rows.size() < 2 || !is_constant(rows, *column))) return;
      left_out.push_back(constant ? fmt::format("{} {}", header, rows[1][*column]) : std::string(header));
      columns.erase(column);
    };
    for (const std::string_view header : shape.constant) leave_out(header, true);
    if (!fits(least) && intervals.empty()) {
      intervals = keep_intervals(rows, shape);
      full = widths_of(rows);
      narrow = widths_with_short_names(rows, shape, full);
    }
    for (const std::string_view header : shape.expendable) leave_out(header, false);
    return fits(least);
  };
  // If one line cannot hold the rest of a row, two lines have room for more of it.
  const bool one_line = leave_out_until(1, narrow);
  if (!one_line) leave_out_until(2, full);
  std::vector<std::string> shortened =
      one_line ? shorten_names(rows, columns, narrow, width) : std::vector<std::string>();
  std::ranges::copy_if(intervals, std::back_inserter(shortened), [&](const std::string& header) {
    return std::ranges::find(left_out, header) == left_out.end();
  });
  const std::vector<std::size_t> widths = widths_of(rows);
  const std::vector<Indices> lines = lines_of(columns, widths, width);
  std::string text;
  for (const Row& row : rows) {
    for (const Indices& line : lines) {
      text += std::string(line == lines.front() ? 0 : kIndent, ' ') + line_of(row, line, widths, shape.left) + '\n';
    }
  }
  const auto note = [&](std::string_view what, const std::vector<std::string>& headers) {
    if (headers.empty()) return;
    text += wrapped(fmt::format("{} {} columns: {}\n", what, width, fmt::join(headers, ", ")), width);
  };
  note("shortened to fit", shortened);
  note("not shown in", left_out);
  return text;
}

std::string fixed_number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.starts_with("-0") && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string plain_number(double value, int digits) {
  const bool has_digits = value != 0 && std::isfinite(value);
  const int leading = has_digits ? static_cast<int>(std::floor(std::log10(std::abs(value)))) : 0;
  std::string text = fixed_number(value, std::max(0, digits - 1 - leading));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string loader_text(const std::string& loader, std::size_t workers) {
  return workers == 0 ? loader : fmt::format("{} x {}", loader, workers);
}

std::string axes_words(std::string_view axes) {
  return fmt::format("{}", fmt::join(axes_in(axes), " "));
}

std::string subject_words(std::string_view workload, std::string_view task) {
  return task.empty() ? std::string(workload) : fmt::format("{} {}", workload, axes_words(task));
}

}  // namespace loadline
