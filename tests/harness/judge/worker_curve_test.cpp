#include "harness/judge/worker_curve.h"

#include <gtest/gtest.h>

#include <vector>

namespace loadline {
namespace {

using Rates = std::vector<double>;

// 95 % intervals by scipy 1.10.1, t.interval(0.95, 2, mean, sem): 1 worker 97.5 to 102.5, 2 workers 177.6 to 202.4,
// 4 workers 188.5 to 203.5, 8 workers 194.5 to 199.5.
const Rates kOne{100, 101, 99};
const Rates kTwo{190, 195, 185};
const Rates kFour{196, 199, 193};
const Rates kEight{197, 198, 196};

TEST(FewestSufficient, TakesTheFewestWorkersWhoseIntervalOverlapsTheBest) {
  const std::vector<WorkerTrials> curve{{1, kOne}, {2, kTwo}, {4, kFour}, {8, kEight}};
  const auto choice = fewest_sufficient(curve);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->fewest.workers, 2U);
  EXPECT_EQ(choice->fewest.samples_per_second.value, 190);
  EXPECT_NEAR(choice->fewest.samples_per_second.ci95.value().high, 202.42068855921877, 1e-9);
  EXPECT_EQ(choice->best.workers, 8U);
  EXPECT_EQ(choice->best.samples_per_second.value, 197);
}

TEST(FewestSufficient, DoesNotDependOnTheOrderOfThePoints) {
  const std::vector<WorkerTrials> curve{{8, kEight}, {2, kTwo}, {1, kOne}, {4, kFour}};
  EXPECT_EQ(fewest_sufficient(curve)->fewest.workers, 2U);
}

TEST(FewestSufficient, IsTheBestItselfWhereNothingElseComesNear) {
  const std::vector<WorkerTrials> curve{{1, kOne}, {8, kEight}};
  EXPECT_EQ(fewest_sufficient(curve)->fewest.workers, 8U);
}

TEST(FewestSufficient, TakesASingleTrialForItsValueAlone) {
  const Rates slower{196.9};
  const Rates best{197};
  const std::vector<WorkerTrials> curve{{4, slower}, {8, best}};
  const auto choice = fewest_sufficient(curve);
  EXPECT_EQ(choice->fewest.workers, 8U);
  EXPECT_FALSE(choice->fewest.samples_per_second.ci95);
}

TEST(FewestSufficient, PrefersFewerWorkersAmongEqualMeans) {
  const std::vector<WorkerTrials> curve{{8, kEight}, {4, kEight}};
  EXPECT_EQ(fewest_sufficient(curve)->best.workers, 4U);
}

TEST(FewestSufficient, PassesOverCountsWithoutTrials) {
  const std::vector<WorkerTrials> curve{{1, {}}, {2, kTwo}};
  EXPECT_EQ(fewest_sufficient(curve)->fewest.workers, 2U);
  EXPECT_FALSE(fewest_sufficient(std::vector<WorkerTrials>{{1, {}}}));
  EXPECT_FALSE(fewest_sufficient({}));
}

}  // namespace
}  // namespace loadline
