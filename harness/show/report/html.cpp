#include "harness/show/report/html.h"

#include <fmt/format.h>

#include "harness/judge/phrase.h"
#include "harness/show/columns.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

// The policy enforces that the page fetches nothing from anywhere. Vega compiles its expressions, hence
// 'unsafe-eval'.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; img-src data:";

constexpr std::string_view kWithoutCharts =
    "This report has tables only: this loadline was built without npm, which provides the chart library. For charts, "
    "build it with -D LOADLINE_CHARTS=ON where npm and a network are available.";

std::string numbers_text(const Values& values) {
  std::string text;
  for (const auto& number : values.numbers) {
    text += (text.empty() ? "" : " ") + (number ? fmt::format("{:.6g}", *number) : std::string("-"));
  }
  return text;
}

// A number keeps its value next to its text, and so do several numbers: the charts are drawn from the table.
std::string cell_html(const Datum& datum, Figure figure) {
  const std::string text = html_escaped(text_of(datum, figure));
  if (const auto* number = std::get_if<double>(&datum)) {
    return fmt::format("<td><data value=\"{:.6g}\">{}</data>", *number, text);
  }
  if (const auto* values = std::get_if<Values>(&datum)) {
    return fmt::format("<td class=\"values\" data-values=\"{}\">{}", numbers_text(*values), text);
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

std::string command_html(std::string_view command) {
  return fmt::format("<pre class=\"command\">{}</pre>\n", html_escaped(command));
}

// The table is open if it has no chart, or if it comes first.
std::string section_html(const Section& section, bool charts) {
  const bool drawn = charts && !section.reading.empty();
  std::string html = fmt::format("<section id=\"{}\" class=\"figures\">\n<h2>{}</h2>\n", section.id, section.title);
  if (drawn) html += "<div class=\"charts\"></div>\n" + paragraph("reading", section.reading);
  for (const std::string& note : section.notes) html += paragraph("note", note);
  return html + fmt::format("<details{}><summary>Table, {}</summary>\n{}</details>\n</section>\n",
                            drawn && !section.open ? "" : " open", plural(section.table.rows.size(), "row"),
                            table_html(section.table));
}

std::string contents_html(std::span<const std::pair<std::string, std::string>> sections) {
  std::string html = "<nav id=\"contents\" aria-label=\"Contents\">\n<ul>\n";
  for (const auto& [id, title] : sections) {
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", html_escaped(id), html_escaped(title));
  }
  return html + "</ul>\n</nav>\n";
}

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

}  // namespace loadline
