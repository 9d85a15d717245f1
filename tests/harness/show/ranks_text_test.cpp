#include "harness/show/ranks_text.h"

#include <gtest/gtest.h>

#include <utility>

#include "harness/show/wrap.h"
#include "tests/harness/support/ranks.h"

namespace loadline {
namespace {

// Two ranks, of which the second ends last, except in the first two trials.
Result two_ranks() {
  Result result =
      test::ranks_result({.ranks = 2, .full = {1000, 1000, 1000, 1000, 1000}, .wait_share = 0.25, .early_share = 0.5});
  for (Trial& trial : result.cells[0].trials) trial.ranks->skew_seconds = 0.25;
  for (const std::size_t first : {0U, 1U}) {
    std::vector<RankShare>& shares = result.cells[0].trials[first].ranks->each;
    std::swap(shares[0].wall_seconds, shares[1].wall_seconds);
    result.cells[0].trials[first].ranks->skew_seconds = 2;
  }
  return result;
}

TEST(StragglersText, SaysWhichRankEndsLast) {
  const Result result = two_ranks();
  EXPECT_EQ(stragglers_text(result, judge_run(result)),
            "mnist, thread-pool x 2: the last of 2 ranks to end holds up the others for 50.0 ± 0.0 % of the time, and "
            "rank 1 is the last in 3 of 5 trials; all started within 2.0 s.\n");
}

TEST(StragglersText, LeavesOutPilots) {
  Result result = two_ranks();
  for (const std::size_t pilot : {0U, 1U}) result.cells[0].trials[pilot].pilot = true;
  EXPECT_EQ(stragglers_text(result, judge_run(result)),
            "mnist, thread-pool x 2: the last of 2 ranks to end holds up the others for 50.0 ± 0.0 % of the time, and "
            "rank 1 is the last in 3 of 3 trials; all started within 250 ms.\n");
}

TEST(StragglersText, NamesARankThatEndsLastBecauseItStartedLate) {
  Result result = two_ranks();
  for (Trial& trial : result.cells[0].trials) {
    std::vector<RankShare>& shares = trial.ranks->each;
    shares[0].wall_seconds = shares[1].wall_seconds = trial.wall_seconds;
    shares[0].started_seconds = trial.wall_seconds / 4;
  }
  EXPECT_EQ(stragglers_text(result, judge_run(result)),
            "mnist, thread-pool x 2: the last of 2 ranks to end holds up the others for 20.0 ± 0.0 % of the time, and "
            "rank 0 is the last in 5 of 5 trials; all started within 2.0 s.\n");
}

TEST(RankRatesText, HasMeansOverTheTrialsThatCount) {
  Result result = two_ranks();
  for (const std::size_t pilot : {0U, 1U}) result.cells[0].trials[pilot].pilot = true;
  EXPECT_EQ(rank_rates_text(result, judge_run(result), kUnlimited),
            "ranks: mnist/FULL/thread-pool/workers:2/batch:100, 2 ranks, means of 3 trials\n"
            "rank  host  samples/s  waits, %  CPUs busy\n"
            "   0  n1        1.0 k      50.0       0.00\n"
            "   1  n1          500      25.0       0.00\n");
}

}  // namespace
}  // namespace loadline
