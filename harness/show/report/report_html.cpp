#include <fmt/format.h>

#include <string>

#include "harness/show/columns.h"
#include "harness/show/report/html.h"
#include "harness/show/report/report.h"
#include "harness/show/report/sections.h"
#include "harness/show/report/verdicts.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

// Of each workload. Some thousand rows a table, which a browser opens at once.
constexpr SectionOptions kHtmlOptions{.most_configurations = 500, .most_in_time = 8};

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string html;
  for (const char c : printable_lines(text)) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default: html += c;
    }
  }
  return html;
}

std::string paragraph(std::string_view kind, std::string_view text) {
  return text.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", kind, html_escaped(text));
}

namespace {

// A number keeps its value beside its text: the charts are drawn from the table.
std::string cell_html(const Datum& datum, Figure figure) {
  const std::string text = html_escaped(text_of(datum, figure));
  if (const auto* number = std::get_if<double>(&datum)) {
    return fmt::format("<td><data value=\"{:.6g}\">{}</data>", *number, text);
  }
  return datum == Datum() ? "<td class=\"none\">-" : "<td>" + text;
}

std::string table_html(const DataTable& table) {
  std::string html = "<div class=\"wide\"><table>\n<thead><tr>";
  for (const Column& column : table.columns) {
    html += fmt::format("<th scope=\"col\" data-key=\"{}\">{}", column.key, html_escaped(column.title));
  }
  html += "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) html += cell_html(row[i], table.columns[i].figure);
    html += '\n';
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace

// The table is open where there is no chart of it.
std::string section_html(const Section& section, bool charts) {
  const bool drawn = charts && !section.reading.empty();
  std::string html = fmt::format("<section id=\"{}\" class=\"figures\">\n<h2>{}</h2>\n", section.id, section.title);
  if (drawn) html += "<div class=\"charts\"></div>\n" + paragraph("reading", section.reading);
  for (const std::string& note : section.notes) html += paragraph("note", note);
  return html + fmt::format("<details{}><summary>Table, {}</summary>\n{}</details>\n</section>\n", drawn ? "" : " open",
                            plural(section.table.rows.size(), "row"), table_html(section.table));
}

std::string command_html(std::string_view command) {
  return fmt::format("<pre class=\"command\">{}</pre>\n", html_escaped(command));
}

namespace {

std::string list(std::string_view kind, std::span<const std::string> items) {
  if (items.empty()) return "";
  std::string html = fmt::format("<ul class=\"{}\">\n", kind);
  for (const std::string& item : items) html += fmt::format("<li>{}</li>\n", html_escaped(item));
  return html + "</ul>\n";
}

std::string verdict_html(const std::vector<Run>& runs) {
  std::string html = "<section id=\"verdict\">\n<h2>Verdict</h2>\n";
  for (const Run& run : runs) {
    const RunVerdict verdict = verdict_of(run);
    if (runs.size() > 1) html += fmt::format("<h3>{}</h3>\n", html_escaped(verdict.title));
    for (const std::string& sentence : verdict.sentences) html += paragraph("sentence", sentence);
    for (const std::string& line : verdict.advice) {
      html += is_command(line) ? command_html(line) : paragraph("sentence", line);
    }
    if (!verdict.predictions.empty()) {
      html += paragraph("sentence", verdict.predictions.front() + ':');
      html += list("predictions", std::span(verdict.predictions).subspan(1));
    }
    if (!verdict.noise.empty()) html += paragraph("sentence", verdict.noise);
    html += list("warnings", verdict.warnings);
  }
  return html + "</section>\n";
}

// Each by itself, closed: the verdict has a line a kind.
std::string warnings_html(const std::vector<Run>& runs) {
  std::string html;
  for (const Run& run : runs) {
    const RunVerdict verdict = verdict_of(run);
    if (verdict.all_warnings.empty()) continue;
    html += fmt::format("<details><summary>All {} warnings{}</summary>\n{}</details>\n", verdict.all_warnings.size(),
                        runs.size() > 1 ? " of " + html_escaped(run.name) : "", list("warnings", verdict.all_warnings));
  }
  return html.empty() ? "" : "<section id=\"warnings\">\n<h2>Warnings</h2>\n" + html + "</section>\n";
}

std::string commands_html(const std::vector<Run>& runs) {
  std::string html = "<section id=\"command\">\n<h2>Command line</h2>\n";
  for (const Run& run : runs) {
    const RunVerdict verdict = verdict_of(run);
    if (runs.size() > 1) html += fmt::format("<h3>{}</h3>\n", html_escaped(verdict.title));
    html += command_html(verdict.command);
  }
  return html + "</section>\n";
}

std::string title_of(const std::vector<Run>& runs) {
  if (runs.size() > 1) return fmt::format("loadline report of {} runs", runs.size());
  return fmt::format("loadline report {}", runs.empty() ? "" : runs.front().result.run_id);
}

// The policy holds the page to what it promises: nothing is fetched from anywhere. Vega compiles its expressions.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; img-src data:";

constexpr std::string_view kWithoutCharts =
    "There are tables only: this loadline was built without npm, which brings what draws the charts; build it where "
    "npm "
    "and a network are, with -D LOADLINE_CHARTS=ON, to have them.";

}  // namespace

std::string page_beginning(std::string_view title, const Page& page) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n"
      "<body>\n<h1>{}</h1>\n",
      kPolicy, html_escaped(title), page.style, html_escaped(title));
  if (page.libraries.empty()) html += paragraph("note", kWithoutCharts);
  return html;
}

std::string page_end(const Page& page) {
  const bool charts = !page.libraries.empty();
  const std::string libraries = charts ? fmt::format("<script>\n{}\n</script>\n", page.libraries) : "";
  return libraries + fmt::format("<script>\n{}</script>\n</body>\n</html>\n", page.script);
}

std::string report_html(std::span<const Result> results, std::span<const Judgement> judgements, const Page& page) {
  const std::vector<Run> runs = runs_of(results, judgements);
  const Names names(runs);
  const ReportData data{.runs = runs, .names = names, .subjects = subjects_of(runs, names)};
  const bool charts = !page.libraries.empty();
  std::string html = page_beginning(title_of(runs), page);
  // Of several runs the walk says in a glance what their verdicts say one after the other.
  const std::vector<Section> sections = sections_of(data, kHtmlOptions);
  const auto is_first = [](const Section& section) { return section.id == "walk"; };
  for (const Section& section : sections) html += is_first(section) ? section_html(section, charts) : "";
  html += verdict_html(runs);
  for (const Section& section : sections) html += is_first(section) ? "" : section_html(section, charts);
  html += warnings_html(runs);
  html += commands_html(runs);
  return html + page_end(page);
}

}  // namespace loadline
