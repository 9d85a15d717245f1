#include "harness/show/report/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/show/report/runs.h"

namespace loadline {
namespace {

using test::Reported;
using test::sweep;
using testing::Contains;
using testing::HasSubstr;

RunVerdict verdict_of_first(const Reported& reported) {
  return verdict_of(reported.data().runs.front());
}

TEST(RunVerdict, SaysWhichRunItIsAndHowToRepeatIt) {
  const RunVerdict verdict = verdict_of_first(Reported({sweep()}));
  EXPECT_EQ(verdict.title, "A: 20261121T095800Z-3fa2c1, started 2026-11-21T09:58:00Z on node1");
  EXPECT_EQ(verdict.command, "loadline run --data '/tmp/<script>alert(1)</script>'");
}

TEST(RunVerdict, HasASentencePerWorkloadAndWhatToUse) {
  const RunVerdict verdict = verdict_of_first(Reported({sweep()}));
  ASSERT_EQ(verdict.sentences.size(), 1U);
  EXPECT_THAT(verdict.sentences[0], testing::StartsWith("mnist, thread-pool x 2: "));
  ASSERT_EQ(verdict.advice.size(), 2U);
  EXPECT_FALSE(is_command(verdict.advice[0]));
  EXPECT_TRUE(is_command(verdict.advice[1]));
}

TEST(RunVerdict, WarnsOfFailuresAndOfARunThatDidNotFinish) {
  Result result = sweep();
  result.status = Status::kPartial;
  result.cells[0].error = "cannot read /data/mnist";
  const RunVerdict verdict = verdict_of_first(Reported({result}));
  EXPECT_THAT(verdict.warnings, Contains("The run did not finish; this is what it measured."));
  result.merged_from = {"x", "y"};
  EXPECT_THAT(verdict_of_first(Reported({result})).warnings,
              Contains("Parts of the run are missing, or were stopped; this is what was merged."));
  EXPECT_THAT(verdict.warnings, Contains("mnist/IO/thread-pool/workers:1/batch:100: cannot read /data/mnist; fix the "
                                         "cause and run again [cell-failed]"));
}

TEST(RunVerdict, WarnsOncePerKindAndKeepsTheRestForTheEnd) {
  Result result = sweep();
  for (CellResult& cell : result.cells) cell.trials.resize(2);
  const RunVerdict verdict = verdict_of_first(Reported({result}));
  EXPECT_THAT(verdict.warnings, testing::ElementsAre(testing::StartsWith("6 cells, the first: mnist/IO/thread-pool/")));
  EXPECT_EQ(verdict.all_warnings.size(), 6U);
  EXPECT_EQ(verdict_of_first(Reported({sweep()})).all_warnings, std::vector<std::string>());
}

TEST(RunVerdict, SaysHowNoisyTheRunWas) {
  EXPECT_THAT(verdict_of_first(Reported({sweep()})).noise, testing::StartsWith("Trials vary by "));
  EXPECT_EQ(verdict_of_first(Reported({test::result_of({})})).noise, "");
}

TEST(RunVerdict, AdmitsThatThereIsNothingToSay) {
  const RunVerdict verdict = verdict_of_first(Reported({test::result_of({})}));
  EXPECT_THAT(verdict.sentences, testing::ElementsAre("No loader has trials, so nothing can be said about loading."));
}

}  // namespace
}  // namespace loadline
