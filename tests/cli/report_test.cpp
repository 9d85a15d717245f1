#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Report : public CommandLine {
 protected:
  void SetUp() override { ASSERT_EQ(run(short_run(mnist())).exit_code, 0); }
};

TEST_F(Report, TakesTheFormatFromTheEndingOrFromTheOption) {
  EXPECT_EQ(run({"report", "result.json", "-o", "report.html"}).err, "");
  EXPECT_THAT(bytes_of(home_ / "report.html"), StartsWith("<!doctype html>"));
  run({"report", "result.json", "-o", "report.md"});
  EXPECT_THAT(bytes_of(home_ / "report.md"), StartsWith("# loadline report"));
  run({"report", "result.json", "-o", "report.csv"});
  EXPECT_THAT(bytes_of(home_ / "report.csv"), StartsWith("run_id,"));
  run({"report", "result.json", "-o", "report.md", "--format", "text", "--overwrite"});
  EXPECT_THAT(bytes_of(home_ / "report.md"), StartsWith("loadline "));
}

TEST_F(Report, TakesATitleForPages) {
  EXPECT_EQ(run({"report", "result.json", "-o", "titled.html", "--title", "Two <b>nodes</b>"}).err, "");
  EXPECT_THAT(bytes_of(home_ / "titled.html"), HasSubstr("<title>Two &lt;b&gt;nodes&lt;/b&gt;</title>"));
  EXPECT_THAT(run({"report", "result.json", "--format", "markdown", "--title", "Two nodes"}).out,
              StartsWith("# Two nodes\n"));
  expect_refusal(run({"report", "result.json", "--format", "csv", "--title", "Two nodes"}), 2,
                 "report: --title is for html and markdown; text and csv have no title");
}

TEST_F(Report, PrintsToStdout) {
  EXPECT_THAT(run({"report", "result.json", "--format", "markdown"}).out, StartsWith("# loadline report"));
  EXPECT_THAT(run({"report", "result.json", "--format", "csv"}).out, StartsWith("run_id,"));
  EXPECT_THAT(run({"report", "result.json", "--format", "text"}).out, HasSubstr("samples/s, mean"));
  EXPECT_THAT(run({"report", "result.json", "-o", "-"}).out, StartsWith("<!doctype html>"));
}

TEST_F(Report, RefusesImpossibleRequestsInASentence) {
  expect_refusal(run({"report", "result.json", "--format", "html"}), 2,
                 "report: want -o FILE for html, or another --format");
  expect_refusal(run({"report", "result.json", "-o", "report.pdf"}), 2,
                 "report: -o report.pdf: its ending stands for no format; want .html, .htm, .md, .markdown, .csv, "
                 ".txt, or name a --format");
  EXPECT_FALSE(exists(home_ / "report.pdf"));
  expect_refusal(run({"report", "result.json", "--format", "htlm"}), 2,
                 "--format 'htlm': want one of html, markdown, csv, text (did you mean html?)");
  expect_refusal(run({"report", "result.json", "-o", "./result.json", "--format", "csv"}), 2,
                 "cannot write ./result.json: it is result.json, which this command reads");
  EXPECT_EQ(run({"report", "result.json", "result.json", "--format", "csv"}).exit_code, 2);
  EXPECT_EQ(run({"report", "missing.json", "--format", "csv"}).exit_code, 1);
  EXPECT_EQ(run({"report"}).exit_code, 2);
  EXPECT_EQ(run({"report", "result.json", "-o", "missing/report.html"}).exit_code, 1);
}

}  // namespace
}  // namespace loadline::test
