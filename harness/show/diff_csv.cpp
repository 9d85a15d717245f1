#include "harness/show/diff_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string_view>

namespace loadline {
namespace {

std::string field(std::string_view text) {
  if (text.find_first_of("\",\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.10g}", *value) : "";
}

std::string line(const std::vector<std::string>& fields) {
  return fmt::format("{}\n", fmt::join(fields, ","));
}

// Count, mean and deviation.
std::vector<std::string> summary_fields(const std::optional<Summary>& summary) {
  if (!summary) return {"0", "", ""};
  return {fmt::format("{}", summary->count), number(summary->mean), number(summary->stddev)};
}

std::vector<std::string> ratio_fields(const CellDiff& cell) {
  if (!cell.comparison) return {"", "", "", "", ""};
  const Ratio& ratio = cell.comparison->ratio;
  return {number(ratio.value), ratio.ci95 ? number(ratio.ci95->low) : "", ratio.ci95 ? number(ratio.ci95->high) : "",
          number(ratio.p), number(cell.adjusted_p)};
}

std::string row_of(const ResultDiff& diff, const CellDiff& cell) {
  std::vector<std::string> fields{field(diff.base),       field(diff.changed),       field(cell.name),
                                  field(cell.base_value), field(cell.changed_value), std::string(diff.metric->name)};
  const auto add = [&](const std::vector<std::string>& more) { fields.insert(fields.end(), more.begin(), more.end()); };
  add(summary_fields(cell.base_summary));
  add(summary_fields(cell.changed_summary));
  add(ratio_fields(cell));
  add({cell.gate ? "true" : "false", number(cell.margin), std::string(name(cell.change))});
  return line(fields);
}

std::string row_of(const ResultDiff& diff, const Unmatched& cell, std::string_view verdict) {
  return line({field(diff.base),
               field(diff.changed),
               field(cell.name),
               "",
               "",
               std::string(diff.metric->name),
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               cell.gate ? "true" : "false",
               "",
               std::string(verdict)});
}

}  // namespace

std::string diff_csv(const std::vector<ResultDiff>& diffs) {
  std::string text =
      line({"base",       "new",         "cell",       "base_value", "new_value",  "metric", "base_count",
            "base_mean",  "base_stddev", "new_count",  "new_mean",   "new_stddev", "ratio",  "ratio_low",
            "ratio_high", "p",           "adjusted_p", "gate",       "margin",     "verdict"});
  for (const ResultDiff& diff : diffs) {
    for (const CellDiff& cell : diff.cells) text += row_of(diff, cell);
    for (const Unmatched& cell : diff.gone) text += row_of(diff, cell, "gone");
    for (const Unmatched& cell : diff.added) text += row_of(diff, cell, "added");
  }
  return text;
}

}  // namespace loadline
