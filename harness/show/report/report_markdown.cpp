#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "harness/show/report/first_screen.h"
#include "harness/show/report/markdown.h"
#include "harness/show/report/report.h"
#include "harness/show/report/sections.h"
#include "harness/show/report/verdicts.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

// Per workload: as much as a person reads in a ticket.
constexpr SectionOptions kMarkdownOptions{.most_configurations = 12, .most_in_time = 1, .for_charts = false};

}  // namespace

std::string markdown_escaped(std::string_view text) {
  std::string markdown;
  std::string one_line(text);
  std::ranges::replace(one_line, '\n', ' ');
  for (const char c : printable(one_line)) {
    if (std::string_view("\\`*_[]<>|#~").find(c) != std::string_view::npos) markdown += '\\';
    markdown += c;
  }
  return markdown;
}

std::string table_markdown(const DataTable& table) {
  std::string head = "|";
  std::string rule = "|";
  for (const Column& column : table.columns) {
    head += fmt::format(" {} |", markdown_escaped(column.title));
    rule += column.figure == Figure::kText ? " --- |" : " ---: |";
  }
  std::string markdown = head + '\n' + rule + '\n';
  for (const auto& row : table.rows) {
    markdown += '|';
    for (std::size_t i = 0; i < row.size(); ++i) {
      markdown += fmt::format(" {} |", markdown_escaped(text_of(row[i], table.columns[i].figure)));
    }
    markdown += '\n';
  }
  return markdown;
}

namespace {

std::string list(std::span<const std::string> items) {
  std::string markdown = items.empty() ? "" : "\n";
  for (const std::string& item : items) markdown += fmt::format("- {}\n", markdown_escaped(item));
  return markdown;
}

// What most readers leave closed.
std::string folded_list(const Run& run, std::span<const std::string> warnings) {
  if (warnings.empty()) return "";
  return fmt::format("\n<details><summary>All {} warnings of {}</summary>\n{}\n</details>\n", warnings.size(), run.name,
                     list(warnings));
}

}  // namespace

std::string code_markdown(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fmt::format("{}\n{}\n{}\n", fence, printable_lines(text), fence);
}

std::string report_markdown(std::span<const Result> results, std::span<const Judgement> judgements,
                            std::string_view title) {
  const std::vector<Run> runs = runs_of(results, judgements);
  const Names names(runs);
  const ReportData data{.runs = runs, .names = names, .subjects = subjects_of(runs, names)};
  std::string markdown = title.empty()
                             ? fmt::format("# loadline report: {}\n\n## Verdict\n", markdown_escaped(title_of(runs)))
                             : fmt::format("# {}\n\n## Verdict\n", markdown_escaped(title));
  for (const Run& run : runs) {
    const RunVerdict verdict = verdict_of(run);
    markdown += fmt::format("\n### {}\n", markdown_escaped(verdict.title));
    for (const std::string& sentence : verdict.sentences) markdown += fmt::format("\n{}\n", markdown_escaped(sentence));
    for (const std::string& line : verdict.advice) {
      markdown += '\n' + (is_command(line) ? code_markdown(line) : markdown_escaped(line) + '\n');
    }
    if (!verdict.predictions.empty()) {
      markdown += fmt::format("\n{}:\n", markdown_escaped(verdict.predictions.front()));
      markdown += list(std::span(verdict.predictions).subspan(1));
    }
    if (!verdict.noise.empty()) markdown += fmt::format("\n{}\n", markdown_escaped(verdict.noise));
    markdown += list(verdict.warnings);
  }
  for (const Section& section : sections_of(data, kMarkdownOptions)) {
    markdown += fmt::format("\n## {}\n\n", section.title);
    for (const std::string& note : section.notes) markdown += markdown_escaped(note) + "\n\n";
    markdown += table_markdown(section.table);
  }
  for (const Run& run : runs) markdown += folded_list(run, verdict_of(run).all_warnings);
  markdown += "\n## Command line\n";
  for (const Run& run : runs) markdown += fmt::format("\n{}:\n\n{}", run.name, code_markdown(verdict_of(run).command));
  return markdown;
}

}  // namespace loadline
