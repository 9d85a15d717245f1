#include "harness/show/report/first_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/show/report/verdicts.h"
#include "tests/harness/show/report/runs.h"

namespace loadline {
namespace {

using test::Reported;
using test::result_of;
using test::sweep;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

FirstScreen screen_of(const Reported& reported) {
  return first_screen_of(reported.data().runs.front());
}

TEST(FirstScreen, SaysWhatWasMeasuredWhereAndWhenAndHowNoisyItWas) {
  Result result = sweep();
  result.environment.machine.memory_total_bytes = std::uint64_t{1020} << 30;
  result.process = RunUsage{.wall_seconds = 87};
  const FirstScreen screen = screen_of(Reported({result}));
  EXPECT_THAT(
      screen.facts,
      testing::ElementsAre(
          Pair("Measured", "IO, SYNTHETIC and FULL of mnist; thread-pool with 1 to 2 workers; 18 trials in 6 cells"),
          Pair("Machine", "node1; Example CPU; 4 CPUs in force; 1020.0 GiB of memory"),
          Pair("When", "2026-11-21 09:58:00 UTC, for 1 min 27 s"), Pair("Noise", StartsWith("Trials vary by "))));
}

TEST(FirstScreen, SaysOfAResumedRunHowLongItsLastPartTook) {
  Result result = sweep();
  result.resumed = {"2026-11-21T10:30:00Z", "2026-11-21T11:00:00Z"};
  result.process = RunUsage{.wall_seconds = 41};
  EXPECT_THAT(screen_of(Reported({result})).facts,
              testing::Contains(Pair("When",
                                     "2026-11-21 09:58:00 UTC, in 3 parts; the last began 2026-11-21 11:00:00 "
                                     "UTC and took 41.0 s")));
}

TEST(FirstScreen, HasOneSentencePerWorkloadAndWhatToDo) {
  const FirstScreen screen = screen_of(Reported({sweep()}));
  ASSERT_EQ(screen.workloads.size(), 1U);
  const WorkloadVerdict& verdict = screen.workloads[0];
  EXPECT_EQ(verdict.workload, "mnist");
  EXPECT_THAT(verdict.sentence, StartsWith("thread-pool x 2: "));
  EXPECT_TRUE(verdict.sentence.ends_with('.'));
  EXPECT_EQ(verdict.sentence.find(". "), std::string::npos);
  ASSERT_EQ(verdict.advice.size(), 2U);
  EXPECT_TRUE(is_command(verdict.advice[1]));
}

TEST(FirstScreen, BeginsItsAdviceWithACapital) {
  const FirstScreen decided = screen_of(Reported({sweep()}));
  EXPECT_THAT(decided.workloads[0].advice[0], StartsWith("Use thread-pool with 2 workers"));
  const FirstScreen undecided = screen_of(
      Reported({result_of({{.mode = Mode::kIo, .rates = {1000, 2000, 3000}},
                           {.mode = Mode::kIo, .rates = {1500, 2500, 2000}, .loader = "thread-pool", .workers = 2}})}));
  EXPECT_THAT(undecided.workloads[0].advice[0], StartsWith("Undecided: "));
}

TEST(FirstScreen, SaysHowSureTheVerdictIs) {
  const FirstScreen screen = screen_of(Reported({sweep()}));
  // 1 - exp(mean ± 4.3027 stddev / sqrt(3)) of ln(1500 / 3000), ln(1600 / 3000) and ln(1700 / 3000)
  EXPECT_THAT(screen.workloads[0].sure,
              StartsWith("95 % interval of the stall: 37.8 to 54.4 %, from 3 trials of FULL and 3 of SYNTHETIC"));
}

TEST(FirstScreen, HasTheIntervalOfTheRateForLoadingAlone) {
  const FirstScreen one = screen_of(Reported({result_of({{.mode = Mode::kIo, .rates = {1000}}})}));
  EXPECT_EQ(one.workloads.at(0).sure, "no interval: there is only one trial");
  const FirstScreen three = screen_of(Reported({result_of({{.mode = Mode::kIo, .rates = {1900, 2000, 2100}}})}));
  EXPECT_EQ(three.workloads.at(0).sure, "95 % interval of the rate: 1.8 k to 2.3 k samples/s, from 3 trials");
}

TEST(FirstScreen, AdmitsWhatIsMissing) {
  Result result = result_of({});
  result.status = Status::kPartial;
  const FirstScreen screen = screen_of(Reported({result}));
  EXPECT_THAT(screen.others, testing::ElementsAre("The run did not finish; this is what it measured.",
                                                  "No loader has trials, so nothing can be said about loading."));
  result.status = Status::kComplete;
  EXPECT_THAT(screen_of(Reported({result})).others, testing::ElementsAre(HasSubstr("nothing can be said")));
}

TEST(Title, SaysWorkloadsHostAndDays) {
  Result other = sweep();
  other.started = "2026-11-20T09:58:00Z";
  for (CellResult& cell : other.cells) cell.cell.workload = "cifar10";
  other.environment.machine.hostname = "node2";
  EXPECT_EQ(title_of(Reported({sweep()}).data().runs), "mnist on node1, 2026-11-21");
  EXPECT_EQ(title_of(Reported({sweep(), other}).data().runs),
            "mnist and cifar10, 2 runs on node1 and node2, 2026-11-20 to 2026-11-21");
  EXPECT_EQ(title_of({}), "loadline");
}

}  // namespace
}  // namespace loadline
