#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/show/columns.h"
#include "harness/show/report/first_screen.h"
#include "harness/show/report/html.h"
#include "harness/show/report/report.h"
#include "harness/show/report/sections.h"
#include "harness/show/report/verdicts.h"
#include "harness/show/report/warnings_html.h"

namespace loadline {
namespace {

// Per workload. That is some thousand rows per table, which a browser opens quickly. Charts take what they have room
// for, and say so in their titles.
constexpr SectionOptions kHtmlOptions{.most_configurations = 500, .most_in_time = 500};

std::string list_html(std::string_view kind, std::span<const std::string> items) {
  if (items.empty()) return "";
  std::string html = fmt::format("<ul class=\"{}\">\n", kind);
  for (const std::string& item : items) html += fmt::format("<li>{}</li>\n", html_escaped(item));
  return html + "</ul>\n";
}

std::string fact_html(std::string_view what, std::string_view html) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", what, html);
}

std::string workload_html(const WorkloadVerdict& verdict) {
  std::string html = fmt::format("<article class=\"workload\">\n<h3>{}</h3>\n", html_escaped(verdict.workload));
  html += paragraph("sentence", verdict.sentence);
  for (const std::string& line : verdict.advice) {
    html += is_command(line) ? command_html(line) : paragraph("advice", line);
  }
  html += paragraph("sure", verdict.sure);
  if (!verdict.more.empty()) {
    html += fmt::format("<details><summary>More</summary>\n{}</details>\n", paragraph("sentence", verdict.more));
  }
  return html + "</article>\n";
}

// What was measured and how noisy it was, then one verdict per workload, then the rest.
std::string run_html(const Run& run) {
  const FirstScreen screen = first_screen_of(run);
  std::string html = "<dl class=\"facts\">\n";
  for (const auto& [what, text] : screen.facts) html += fact_html(what, html_escaped(text));
  if (!run.judgement.warnings.empty()) html += fact_html("Warnings", warning_links_html(run));
  html += "</dl>\n";
  for (const std::string& other : screen.others) html += paragraph("sentence", other);
  for (const WorkloadVerdict& verdict : screen.workloads) html += workload_html(verdict);
  const auto predictions = verdict_of(run).predictions;
  if (predictions.empty()) return html;
  return html + fmt::format("<details><summary>{}</summary>\n{}</details>\n", html_escaped(predictions.front()),
                            list_html("predictions", std::span(predictions).subspan(1)));
}

std::string verdict_html(const std::vector<Run>& runs) {
  std::string html = "<section id=\"verdict\">\n<h2>Verdict</h2>\n";
  for (const Run& run : runs) {
    if (runs.size() > 1) html += fmt::format("<h3>{}</h3>\n", html_escaped(verdict_of(run).title));
    html += run_html(run);
  }
  return html + "</section>\n";
}

std::string commands_html(const std::vector<Run>& runs) {
  std::string html = "<section id=\"command\">\n<h2>Command line</h2>\n";
  for (const Run& run : runs) {
    const RunVerdict verdict = verdict_of(run);
    html += paragraph("note", verdict.title);
    html += command_html(verdict.command);
  }
  return html + "</section>\n";
}

}  // namespace

std::string report_html(std::span<const Result> results, std::span<const Judgement> judgements, const Page& page,
                        std::string_view title) {
  const std::vector<Run> runs = runs_of(results, judgements);
  const Names names(runs);
  const ReportData data{.runs = runs, .names = names, .subjects = subjects_of(runs, names)};
  const std::vector<Section> sections = sections_of(data, kHtmlOptions);
  // For several runs, the walk shows at a glance what their verdicts say one by one.
  const bool walks = !sections.empty() && sections.front().id == "walk";
  std::vector<std::pair<std::string, std::string>> contents{{"verdict", "Verdict"}};
  for (const Section& section : sections) contents.emplace_back(section.id, section.title);
  if (walks) std::swap(contents[0], contents[1]);
  const std::string warnings = warnings_html(runs, sections);
  if (!warnings.empty()) contents.emplace_back("warnings", "Warnings");
  contents.emplace_back("command", "Command line");

  const bool charts = !page.libraries.empty();
  std::string html = page_beginning(title.empty() ? title_of(runs) : std::string(title), page);
  if (walks) html += section_html(sections.front(), charts);
  html += verdict_html(runs) + contents_html(contents);
  for (std::size_t i = walks ? 1 : 0; i < sections.size(); ++i) html += section_html(sections[i], charts);
  return html + warnings + commands_html(runs) + page_end(page);
}

}  // namespace loadline
