#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/show/figures_text.h"
#include "harness/show/report/report.h"
#include "harness/show/setting_text.h"
#include "harness/show/warning_text.h"
#include "tests/harness/show/report/runs.h"

namespace loadline {
namespace {

using test::Reported;
using test::sweep;

TEST(ReportText, IsWhatTheRunPrinted) {
  Result result = sweep();
  const Reported reported({result});
  EXPECT_EQ(report_text(reported.results, reported.judgements), setting_text(result) + "\n" +
                                                                    figures_text(result, reported.judgements[0]) +
                                                                    "\n" + warning_text(reported.judgements[0]));
}

TEST(ReportText, NamesTheRunsWhereThereAreSeveral) {
  const Reported reported({sweep(), sweep()});
  const std::string text = report_text(reported.results, reported.judgements);
  EXPECT_THAT(text, testing::StartsWith("A: 20261121T095800Z-3fa2c1, started 2026-11-21T09:58:00Z on node1\n\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nB: 20261121T095800Z-3fa2c1, "));
}

TEST(ReportText, WalksFromRunToRunWhereThereAreSeveral) {
  const Reported several({sweep(), sweep()});
  EXPECT_THAT(report_text(several.results, several.judgements),
              testing::HasSubstr("\n\nFrom run to run\n\ninconclusive: mnist FULL, A -> B: 0 ± 15 % faster or slower"));
  const Reported one({sweep()});
  EXPECT_THAT(report_text(one.results, one.judgements), testing::Not(testing::HasSubstr("From run to run")));
}

}  // namespace
}  // namespace loadline
