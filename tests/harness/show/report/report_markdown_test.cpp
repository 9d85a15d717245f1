#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/show/report/report.h"
#include "tests/harness/show/report/runs.h"

namespace loadline {
namespace {

using test::Reported;
using test::sweep;
using testing::HasSubstr;
using testing::Not;

std::string markdown_of(const Reported& reported) {
  return report_markdown(reported.results, reported.judgements);
}

TEST(ReportMarkdown, HasVerdictTablesAndCommand) {
  const std::string markdown = markdown_of(Reported({sweep()}));
  EXPECT_THAT(markdown, testing::StartsWith("# loadline report: mnist on node1, 2026-11-21\n\n## Verdict\n\n### A: "));
  EXPECT_THAT(
      markdown,
      HasSubstr(
          "| workload | configuration | mode | trials | samples/s | 95 % from | 95 % to | SYNTHETIC, samples/s | of "
          "SYNTHETIC |\n| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"));
  EXPECT_THAT(markdown,
              HasSubstr("\n| mnist | thread-pool x 2 | IO | 3 | 2.000 k | 1.766 k | 2.265 k | 3.000 k | - |\n"));
  EXPECT_THAT(markdown, testing::EndsWith("```\nloadline run --data '/tmp/<script>alert(1)</script>'\n```\n"));
}

TEST(ReportMarkdown, HasALinePerKindOfWarningAndAllFoldedAtTheEnd) {
  Result result = sweep();
  for (CellResult& cell : result.cells) cell.trials.resize(2);
  const std::string markdown = markdown_of(Reported({result}));
  EXPECT_LT(markdown.find("\n- 6 cells, the first: "), markdown.find("\n## Throughput"));
  const std::size_t all = markdown.find("\n<details><summary>All 6 warnings of A</summary>\n\n- mnist/IO/");
  EXPECT_LT(all, markdown.find("\n## Command line"));
  EXPECT_THAT(markdown_of(Reported({sweep()})), Not(HasSubstr("<details>")));
}

TEST(ReportMarkdown, LeavesOutWhatOnlyChartsShow) {
  EXPECT_THAT(markdown_of(Reported({sweep()})), Not(HasSubstr("trial by trial")));
}

TEST(ReportMarkdown, SaysHowNoisyTheRunWas) {
  EXPECT_THAT(markdown_of(Reported({sweep()})), HasSubstr("\nTrials vary by "));
}

TEST(ReportMarkdown, EscapesTextThatMarkdownWouldInterpret) {
  Result result = sweep();
  result.environment.machine.cpu_model = "A|B *c* <d>\ne";
  EXPECT_THAT(markdown_of(Reported({result})), HasSubstr("| A\\|B \\*c\\* \\<d\\> e |"));
}

TEST(ReportMarkdown, HasTheGivenTitle) {
  const Reported reported({sweep()});
  EXPECT_THAT(report_markdown(reported.results, reported.judgements, "Before *and* after"),
              testing::StartsWith("# Before \\*and\\* after\n\n## Verdict"));
}

TEST(ReportMarkdown, FencesCommandsThatContainFences) {
  Result result = sweep();
  result.arguments = {"loadline", "```"};
  EXPECT_THAT(markdown_of(Reported({result})), testing::EndsWith("````\nloadline '```'\n````\n"));
}

}  // namespace
}  // namespace loadline
