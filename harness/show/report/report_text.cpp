#include <fmt/format.h>

#include <string>
#include <vector>

#include "harness/show/columns.h"
#include "harness/show/figures_text.h"
#include "harness/show/report/report.h"
#include "harness/show/report/sections.h"
#include "harness/show/report/verdicts.h"
#include "harness/show/setting_text.h"
#include "harness/show/walk_text.h"
#include "harness/show/warning_text.h"

namespace loadline {
namespace {

// What only runs side by side show: one process for all devices against one process for each.
std::string devices_text(const std::vector<Run>& runs, std::size_t width) {
  const Names names(runs);
  const Section section = devices_section({.runs = runs, .names = names, .subjects = subjects_of(runs, names)});
  DataTable table = without_empty_columns(section.table);
  if (table.rows.empty()) return "";
  if (table.rows.size() <= runs.size()) table = without(table, "name");
  // One line per figure, with the runs side by side.
  std::vector<Row> rows;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    Row& line = rows.emplace_back(Row{table.columns[i].title});
    for (const auto& row : table.rows) line.push_back(text_of(row[i], table.columns[i].figure));
  }
  return fmt::format("\n{}\n\n{}", section.title, fitted(rows, {.left = {0}, .constant = {}, .expendable = {}}, width));
}

}  // namespace

std::string report_text(std::span<const Result> results, std::span<const Judgement> judgements, std::size_t width) {
  const std::vector<Run> runs = runs_of(results, judgements);
  std::string text;
  for (const Run& run : runs) {
    if (!text.empty()) text += '\n';
    if (runs.size() > 1) text += fmt::format("{}\n\n", verdict_of(run).title);
    text += fmt::format("{}\n{}", setting_text(run.result), figures_text(run.result, run.judgement, width));
    const std::string warnings = warning_text(run.judgement);
    if (!warnings.empty()) text += '\n' + warnings;
  }
  if (runs.size() < 2) return text;
  if (const auto walk = walk_of(runs)) text += fmt::format("\n{}\n\n{}", kWalkTitle, walk_text(*walk, width));
  return text + devices_text(runs, width);
}

}  // namespace loadline
