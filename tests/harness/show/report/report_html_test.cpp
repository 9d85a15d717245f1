#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/show/report/report.h"
#include "tests/harness/show/report/runs.h"

namespace loadline {
namespace {

using test::CellRequest;
using test::Reported;
using test::result_of;
using test::sweep;
using testing::HasSubstr;
using testing::Not;

constexpr Page kWithCharts{.style = "STYLE", .script = "SCRIPT", .libraries = "LIBRARIES"};
constexpr Page kWithout{.style = "STYLE", .script = "SCRIPT", .libraries = ""};

std::string html_of(const Reported& reported, const Page& page = kWithCharts) {
  return report_html(reported.results, reported.judgements, page);
}

TEST(ReportHtml, HasTheVerdictAndTheContentsBeforeAnyFigure) {
  const std::string html = html_of(Reported({sweep()}));
  EXPECT_LT(html.find("<section id=\"verdict\">"), html.find("<nav id=\"contents\""));
  EXPECT_LT(html.find("<nav id=\"contents\""), html.find("<section id=\"throughput\""));
  EXPECT_THAT(html, HasSubstr("<li><a href=\"#throughput\">Throughput</a></li>"));
  EXPECT_LT(html.find("<section id=\"machine\""), html.find("<section id=\"command\">"));
}

TEST(ReportHtml, HasOnlyLinksThatLeadSomewhere) {
  Result result = sweep();
  for (CellResult& cell : result.cells) cell.trials.resize(2);
  const std::string html = html_of(Reported({result}));
  std::size_t links = 0;
  for (std::size_t at = html.find("href=\"#"); at != std::string::npos; at = html.find("href=\"#", at + 1)) {
    const std::size_t begin = at + 7;
    const std::string id = html.substr(begin, html.find('"', begin) - begin);
    EXPECT_THAT(html, HasSubstr("id=\"" + id + "\"")) << id;
    ++links;
  }
  EXPECT_GT(links, 10U);
}

TEST(ReportHtml, HasWarningsByKindAtTheEndEachWithALinkToItsChart) {
  Result result = sweep();
  for (CellResult& cell : result.cells) cell.trials.resize(2);
  const std::string html = html_of(Reported({result}));
  EXPECT_THAT(html, HasSubstr("<dt>Warnings</dt><dd><a href=\"#warning-A-few-trials\">6 few-trials</a></dd>"));
  const std::size_t all = html.find(
      "<section id=\"warnings\">\n<h2>Warnings</h2>\n<details id=\"warning-A-few-trials\"><summary><strong>few-trials"
      "</strong>, 6 warnings: 6 cells, the first: ");
  EXPECT_LT(html.find("<section id=\"machine\""), all);
  EXPECT_LT(all, html.find("<section id=\"command\">"));
  EXPECT_THAT(html, HasSubstr("too few for a reliable interval <a href=\"#trials\" data-workload=\"mnist\">Trials "
                              "over the run</a></li>"));
  for (CellResult& cell : result.cells) cell.trials.assign(3, cell.trials[0]);
  EXPECT_THAT(html_of(Reported({result})), Not(HasSubstr("<section id=\"warnings\">")));
}

TEST(ReportHtml, HasTheGivenTitleOrSaysWhatWhereAndWhen) {
  const Reported reported({sweep()});
  EXPECT_THAT(html_of(reported), HasSubstr("<title>mnist on node1, 2026-11-21</title>"));
  EXPECT_THAT(html_of(reported), HasSubstr("<h1>mnist on node1, 2026-11-21</h1>"));
  EXPECT_THAT(report_html(reported.results, reported.judgements, kWithCharts, "Nodes <1> & 2"),
              HasSubstr("<title>Nodes &lt;1&gt; &amp; 2</title>"));
}

TEST(ReportHtml, KeepsSeveralNumbersOfARow) {
  EXPECT_THAT(html_of(Reported({sweep()})),
              HasSubstr("<td class=\"values\" data-values=\"900 1000 1100\">900.0, 1.000 k, 1.100 k"));
}

TEST(ReportHtml, HasTheWaitsOverTheRunOfMoreConfigurationsThanItsChartHasRoomFor) {
  std::vector<CellRequest> cells;
  for (std::size_t workers = 1; workers <= 9; ++workers) {
    const double rate = 1000 * static_cast<double>(workers);
    cells.push_back({.mode = Mode::kFull, .rates = {rate, rate}, .loader = "thread-pool", .workers = workers});
  }
  const std::string html = html_of(Reported({result_of(cells)}));
  const std::size_t begin = html.find("<section id=\"timeline\"");
  ASSERT_NE(begin, std::string::npos);
  const std::string timeline = html.substr(begin, html.find("</section>", begin) - begin);
  EXPECT_THAT(timeline, HasSubstr("thread-pool x 1<"));
  EXPECT_THAT(timeline, HasSubstr("thread-pool x 9<"));
  EXPECT_THAT(timeline, Not(HasSubstr("shown")));
}

TEST(ReportHtml, FetchesNothing) {
  const std::string html = html_of(Reported({sweep()}));
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' "
                              "'unsafe-eval'; img-src data:\""));
  EXPECT_THAT(html, Not(HasSubstr("http://")));
  EXPECT_THAT(html, Not(HasSubstr("https://")));
}

TEST(ReportHtml, EscapesWhatComesFromOutside) {
  Result result = sweep();
  result.environment.machine.cpu_model = "\"A\" & 'B' <c>\x01";
  const std::string html = html_of(Reported({result}));
  EXPECT_THAT(html, HasSubstr("<pre class=\"command\">loadline run --data "
                              "&#39;/tmp/&lt;script&gt;alert(1)&lt;/script&gt;&#39;</pre>"));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("&quot;A&quot; &amp; &#39;B&#39; &lt;c&gt;\\x01"));
}

TEST(ReportHtml, KeepsAScriptInANameAsText) {
  Result result = sweep();
  for (CellResult& cell : result.cells) cell.cell.workload = "</h3><script>alert(2)</script>";
  result.environment.machine.hostname = "<script>alert(3)</script>";
  for (CellResult& cell : result.cells) cell.trials.resize(2);
  const std::string html = html_of(Reported({result}));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(2)"));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(3)"));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
}

TEST(ReportHtml, KeepsNumbersBesideTheirText) {
  const std::string html = html_of(Reported({sweep()}));
  EXPECT_THAT(html, HasSubstr("<tr><td>mnist<td>thread-pool x 2<td>IO<td><data value=\"3\">3</data>"
                              "<td><data value=\"2000\">2.000 k</data>"));
}

TEST(ReportHtml, HasOpenTablesAndSaysHowToGetChartsWithoutLibraries) {
  const Reported reported({sweep()});
  EXPECT_THAT(html_of(reported), Not(HasSubstr("built without npm")));
  EXPECT_THAT(html_of(reported), HasSubstr("<script>\nLIBRARIES\n</script>\n<script>\nSCRIPT</script>"));
  EXPECT_THAT(html_of(reported), HasSubstr("<details><summary>Table, 5 rows"));
  const std::string bare = html_of(reported, kWithout);
  EXPECT_THAT(bare, HasSubstr("This report has tables only: this loadline was built without npm"));
  EXPECT_THAT(bare, HasSubstr("<details open><summary>Table, 5 rows"));
  EXPECT_THAT(bare, Not(HasSubstr("class=\"charts\"")));
}

TEST(ReportHtml, NamesRunsOnlyWhereThereAreSeveral) {
  EXPECT_THAT(html_of(Reported({sweep()})), Not(HasSubstr("<h3>A: ")));
  const std::string html = html_of(Reported({sweep(), sweep()}));
  EXPECT_THAT(html, HasSubstr("<title>mnist, 2 runs on node1, 2026-11-21</title>"));
  EXPECT_THAT(html, HasSubstr("<h3>B: 20261121T095800Z-3fa2c1, started 2026-11-21T09:58:00Z on node1</h3>"));
}

TEST(EmbeddedPage, HasTheWholeStyleAndScript) {
  const Page page = embedded_page();
  EXPECT_TRUE(page.style.starts_with(":root"));
  EXPECT_TRUE(page.style.ends_with("}\n"));
  EXPECT_TRUE(page.script.starts_with("// Makes of the tables"));
  EXPECT_TRUE(page.script.ends_with("start();\n"));
}

TEST(EmbeddedPage, HasNothingThatWouldEndItsElement) {
  const Page page = embedded_page();
  EXPECT_EQ(page.script.find("</script"), std::string_view::npos);
  EXPECT_EQ(page.libraries.find("</script"), std::string_view::npos);
  EXPECT_EQ(page.libraries.find("<!--"), std::string_view::npos);
}

}  // namespace
}  // namespace loadline
