#include "harness/judge/worker_curve.h"

#include <gtest/gtest.h>

#include <vector>

#include "loaders/error.h"

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

// R 4.2.2: exp(mean(log(many)) - mean(log(one))) / workers, and exp(t.test(log(many), log(one))$conf.int) / workers.
TEST(WorkerCurve, HasTheEfficiencyOfAWorkerBesideOneAlone) {
  const std::vector<WorkerPoint> points = worker_curve(std::vector<WorkerTrials>{{8, kEight}, {1, kOne}, {2, kTwo}});
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0].workers, 1U);
  EXPECT_EQ(points[0].efficiency.value().value, 1);
  EXPECT_EQ(points[0].efficiency->ci95.value().low, 1);
  EXPECT_EQ(points[0].efficiency->ci95.value().high, 1);
  EXPECT_EQ(points[1].samples_per_second.value, 190);
  EXPECT_NEAR(points[1].efficiency.value().value, 0.949812312577861, 1e-13);
  EXPECT_NEAR(points[1].efficiency->ci95.value().low, 0.897128783683361, 1e-9);
  EXPECT_NEAR(points[1].efficiency->ci95.value().high, 1.005589660628828, 1e-9);
  EXPECT_NEAR(points[2].efficiency.value().value, 0.246256093732702, 1e-13);
  EXPECT_NEAR(points[2].efficiency->ci95.value().low, 0.241201679796768, 1e-9);
  EXPECT_NEAR(points[2].efficiency->ci95.value().high, 0.251416423598648, 1e-9);
}

TEST(WorkerCurve, HasNoEfficiencyWithoutTrialsOfOneWorker) {
  const Rates serial{90, 91};
  const std::vector<WorkerPoint> points = worker_curve(std::vector<WorkerTrials>{{0, serial}, {1, {}}, {2, kTwo}});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_FALSE(points[0].efficiency);
  EXPECT_FALSE(points[1].efficiency);
}

TEST(WorkerCurve, HasNoEfficiencyForALoaderWithoutWorkersBesideOneWithThem) {
  const Rates serial{90, 91};
  const std::vector<WorkerPoint> points = worker_curve(std::vector<WorkerTrials>{{0, serial}, {1, kOne}});
  EXPECT_FALSE(points[0].efficiency);
  EXPECT_TRUE(points[1].efficiency);
}

TEST(WorkerCurve, HasAnEfficiencyWithoutAnIntervalWhereACountHasOneTrial) {
  const Rates single{150};
  const std::vector<WorkerPoint> points = worker_curve(std::vector<WorkerTrials>{{1, kOne}, {2, single}});
  EXPECT_NEAR(points[1].efficiency.value().value, 0.75, 1e-4);
  EXPECT_FALSE(points[1].efficiency->ci95);
}

TEST(WorkerCurve, RefusesRatesThatAreNone) {
  const Rates zero{0};
  EXPECT_THROW(worker_curve(std::vector<WorkerTrials>{{1, kOne}, {2, zero}}), Error);
  EXPECT_THROW(worker_curve(std::vector<WorkerTrials>{{2, zero}}), Error);
}

TEST(FewestSufficient, PassesOverCountsWithoutTrials) {
  const std::vector<WorkerTrials> curve{{1, {}}, {2, kTwo}};
  EXPECT_EQ(fewest_sufficient(curve)->fewest.workers, 2U);
  EXPECT_FALSE(fewest_sufficient(std::vector<WorkerTrials>{{1, {}}}));
  EXPECT_FALSE(fewest_sufficient({}));
}

}  // namespace
}  // namespace loadline
