#include "harness/show/benchy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/harness/support/results.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::failed;
using test::thrown_by;

// Trials of 100 batches of 100 samples from two loaders, of which the formats of benchy show only the better one.
Result two_loaders() {
  return test::result_of({{.mode = Mode::kIo, .rates = {10, 30}, .loader = "serial"},
                          {.mode = Mode::kFull, .rates = {10, 10}, .loader = "serial"},
                          {.mode = Mode::kIo, .rates = {100, 200}, .loader = "thread-pool", .workers = 2},
                          {.mode = Mode::kSynthetic, .rates = {400, 400}},
                          {.mode = Mode::kFull, .rates = {100}, .loader = "thread-pool", .workers = 2},
                          test::overhead()});
}

std::string json_of(const Result& result) {
  return benchy_json(result, judge_run(result));
}

std::string summary_of(const Result& result) {
  return benchy_summary(result, judge_run(result));
}

TEST(Benchy, HasItsKeysForTheBestConfiguration) {
  EXPECT_EQ(json_of(two_loaders()),
            R"({"nranks":1,)"
            R"("IO":{"rates":[[],[]],"avg_iter_throughput":[null,null],"trial_throughput":[100.0,200.0],)"
            R"("trial_time":[100.0,50.0]},)"
            R"("SYNTHETIC":{"rates":[[],[]],"avg_iter_throughput":[null,null],"trial_throughput":[400.0,400.0],)"
            R"("trial_time":[25.0,25.0]},)"
            R"("FULL":{"rates":[[]],"avg_iter_throughput":[null],"trial_throughput":[100.0],"trial_time":[100.0]}})"
            "\n");
}

TEST(Benchy, MultipliesTheFiguresOfARankByTheRanks) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {100}}});
  result.cells[0].cell.sampler.world_size = 4;
  EXPECT_EQ(json_of(result),
            R"({"nranks":4,"IO":{"rates":[[]],"avg_iter_throughput":[null],"trial_throughput":[400.0],)"
            R"("trial_time":[100.0]}})"
            "\n");
}

TEST(Benchy, TakesTheFiguresOfAllRanksAsTheyAre) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {100}}});
  result.cells[0].cell.sampler.world_size = 4;
  result.cells[0].trials[0].ranks = TrialRanks{.each = std::vector<RankShare>(4)};
  EXPECT_THAT(json_of(result), testing::HasSubstr(R"("trial_throughput":[100.0])"));
}

TEST(Benchy, SummarisesWithPopulationDeviations) {
  EXPECT_EQ(summary_of(two_loaders()),
            "BENCHY::SUMMARY::IO average trial throughput: 150.000 +/- 50.000\n"
            "BENCHY::SUMMARY:: SYNTHETIC average trial throughput: 400.000 +/- 0.000\n"
            "BENCHY::SUMMARY::FULL average trial throughput: 100.000 +/- 0.000\n");
}

TEST(Benchy, LeavesOutPilots) {
  Result result = two_loaders();
  for (const std::size_t cell : {2U, 3U}) result.cells[cell].trials[0].pilot = true;
  result.cells[3].trials[1].pilot = true;
  EXPECT_EQ(summary_of(result),
            "BENCHY::SUMMARY::IO average trial throughput: 200.000 +/- 0.000\n"
            "BENCHY::SUMMARY::FULL average trial throughput: 100.000 +/- 0.000\n");
  EXPECT_EQ(json_of(result),
            R"({"nranks":1,)"
            R"("IO":{"rates":[[]],"avg_iter_throughput":[null],"trial_throughput":[200.0],"trial_time":[50.0]},)"
            R"("FULL":{"rates":[[]],"avg_iter_throughput":[null],"trial_throughput":[100.0],"trial_time":[100.0]}})"
            "\n");
}

TEST(Benchy, LeavesOutModesWithoutTrials) {
  EXPECT_EQ(summary_of(test::result_of({{.mode = Mode::kSynthetic, .rates = {5}}})),
            "BENCHY::SUMMARY:: SYNTHETIC average trial throughput: 5.000 +/- 0.000\n");
  const test::Thrown none =
      failed("benchy knows only IO, SYNTHETIC and FULL trials, and this result has none of these");
  EXPECT_EQ(thrown_by([] { summary_of(test::result_of({test::overhead()})); }), none);
  EXPECT_EQ(thrown_by([] { json_of(test::result_of({{.mode = Mode::kIo, .rates = {}}})); }), none);
}

}  // namespace
}  // namespace loadline
