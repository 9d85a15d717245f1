#include "harness/show/report/warnings_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/judge/phrase.h"
#include "harness/judge/warnings.h"
#include "harness/show/columns.h"
#include "harness/show/report/html.h"

namespace loadline {
namespace {

// The best section first, then another for pages without it. Every page has the machine's.
struct About {
  std::string_view warning;
  std::array<std::string_view, 2> sections;
};

// Sorted.
constexpr About kAbout[] = {
    {"ceiling-beaten", {"ceilings", "throughput"}},
    {"ceiling-failed", {"ceilings", "throughput"}},
    {"cpus-changed", {"trials", "machine"}},
    {"dataset-fits-cache", {"cache", "machine"}},
    {"debug-build", {"machine", ""}},
    {"few-trials", {"trials", "throughput"}},
    {"loader-not-idle", {"cpu", "throughput"}},
    {"machine-busy", {"monitor", "machine"}},
    {"memory-short", {"monitor", "machine"}},
    {"no-huge-pages", {"machine", ""}},
    {"not-cold", {"cache", "throughput"}},
    {"not-resident", {"monitor", "throughput"}},
    {"outlier-trial", {"trials", "throughput"}},
    {"sanitizer-build", {"machine", ""}},
    {"several-builds", {"machine", ""}},
    {"several-hosts", {"machine", ""}},
    {"short-trials", {"trials", "throughput"}},
    {"suspended", {"trials", "throughput"}},
    {"throttled", {"monitor", "trials"}},
    {"wide-spread", {"trials", "throughput"}},
    {"workers-exceed-cpus", {"scaling", "throughput"}},
};

// For all other warnings: most are about cells.
constexpr About kOthers{"", {"throughput", "machine"}};

std::string anchor_of(const Run& run, std::string_view id) {
  return fmt::format("warning-{}-{}", run.name, id);
}

// The workload of the cell in a message; the script scrolls to its chart.
std::string workload_in(const Run& run, const std::string& message) {
  const auto& cells = run.result.cells;
  const auto cell = std::ranges::find_if(
      cells, [&](const CellResult& each) { return message.find(each.cell.name()) != std::string::npos; });
  return cell == cells.end() ? "" : cell->cell.workload;
}

std::string item_html(const Run& run, const Warning& warning, const Section* about) {
  std::string html = "<li>" + html_escaped(warning.message);
  if (about != nullptr) {
    html += fmt::format(" <a href=\"#{}\" data-workload=\"{}\">{}</a>", about->id,
                        html_escaped(workload_in(run, warning.message)), html_escaped(about->title));
  }
  return html + "</li>\n";
}

std::string kind_html(const Run& run, const Warning& folded, std::span<const Section> sections) {
  const std::string_view id = section_about(folded.id, sections);
  const auto about = std::ranges::find(sections, id, &Section::id);
  std::string items;
  std::size_t count = 0;
  for (const Warning& warning : run.judgement.warnings) {
    if (warning.id != folded.id) continue;
    items += item_html(run, warning, about == sections.end() ? nullptr : &*about);
    ++count;
  }
  return fmt::format(
      "<details id=\"{}\"><summary><strong>{}</strong>, {}: {}</summary>\n<ul class=\"warnings\">\n{}</ul>\n"
      "</details>\n",
      html_escaped(anchor_of(run, folded.id)), html_escaped(folded.id), plural(count, "warning"),
      html_escaped(folded.message), items);
}

}  // namespace

std::string_view section_about(std::string_view warning_id, std::span<const Section> sections) {
  const auto known = std::ranges::find(kAbout, warning_id, &About::warning);
  for (const std::string_view id : known == std::end(kAbout) ? kOthers.sections : known->sections) {
    if (std::ranges::find(sections, id, &Section::id) != sections.end()) return id;
  }
  return "";
}

std::string warning_links_html(const Run& run) {
  std::string html;
  for (const Warning& kind : folded(run.judgement.warnings)) {
    const auto count = std::ranges::count(run.judgement.warnings, kind.id, &Warning::id);
    html += fmt::format("{}<a href=\"#{}\">{} {}</a>", html.empty() ? "" : ", ", html_escaped(anchor_of(run, kind.id)),
                        count, html_escaped(kind.id));
  }
  return html;
}

std::string warnings_html(std::span<const Run> runs, std::span<const Section> sections) {
  std::string html;
  for (const Run& run : runs) {
    if (run.judgement.warnings.empty()) continue;
    if (runs.size() > 1) html += fmt::format("<h3>{}</h3>\n", html_escaped(run.name));
    for (const Warning& kind : folded(run.judgement.warnings)) html += kind_html(run, kind, sections);
  }
  return html.empty() ? "" : "<section id=\"warnings\">\n<h2>Warnings</h2>\n" + html + "</section>\n";
}

}  // namespace loadline
