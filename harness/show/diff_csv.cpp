#include "harness/show/diff_csv.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "harness/judge/changes.h"
#include "harness/show/csv.h"

namespace loadline {
namespace {

// Count, mean and deviation.
std::vector<std::string> summary_fields(const std::optional<Summary>& summary) {
  if (!summary) return {"0", "", ""};
  return {fmt::format("{}", summary->count), csv_number(summary->mean), csv_number(summary->stddev)};
}

std::vector<std::string> ratio_fields(const CellDiff& cell) {
  if (!cell.comparison) return {"", "", "", "", ""};
  const Ratio& ratio = cell.comparison->ratio;
  return {csv_number(ratio.value), ratio.ci95 ? csv_number(ratio.ci95->low) : "",
          ratio.ci95 ? csv_number(ratio.ci95->high) : "", csv_number(ratio.p), csv_number(cell.adjusted_p)};
}

std::string row_of(const ResultDiff& diff, const CellDiff& cell) {
  std::vector<std::string> fields{csv_field(diff.base),          csv_field(diff.changed),
                                  csv_field(cell.name),          csv_field(cell.base_value),
                                  csv_field(cell.changed_value), std::string(diff.metric->name)};
  const auto add = [&](const std::vector<std::string>& more) { fields.insert(fields.end(), more.begin(), more.end()); };
  add(summary_fields(cell.base_summary));
  add(summary_fields(cell.changed_summary));
  add(ratio_fields(cell));
  add({cell.gate ? "true" : "false", csv_number(cell.margin), std::string(name(cell.change)),
       csv_field(cell.changed_name), cell.by ? std::string(name(*cell.by)) : "",
       csv_field(changes_text(cell.changes))});
  return csv_line(fields);
}

std::string row_of(const ResultDiff& diff, const Unmatched& cell, std::string_view verdict) {
  return csv_line({csv_field(diff.base),
                   csv_field(diff.changed),
                   csv_field(cell.name),
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
                   std::string(verdict),
                   "",
                   "",
                   ""});
}

}  // namespace

std::string diff_csv(const std::vector<ResultDiff>& diffs) {
  std::string text = csv_line({"base",       "new",       "cell",        "base_value", "new_value",  "metric",
                               "base_count", "base_mean", "base_stddev", "new_count",  "new_mean",   "new_stddev",
                               "ratio",      "ratio_low", "ratio_high",  "p",          "adjusted_p", "gate",
                               "margin",     "verdict",   "new_cell",    "matched_by", "changed"});
  for (const ResultDiff& diff : diffs) {
    for (const CellDiff& cell : diff.cells) text += row_of(diff, cell);
    for (const Unmatched& cell : diff.gone) text += row_of(diff, cell, "gone");
    for (const Unmatched& cell : diff.added) text += row_of(diff, cell, "added");
  }
  return text;
}

}  // namespace loadline
