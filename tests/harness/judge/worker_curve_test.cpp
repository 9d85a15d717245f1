#include "harness/judge/worker_curve.h"

#include <gtest/gtest.h>

#include <vector>

#include "loaders/error.h"

namespace loadline {
namespace {

using Rates = std::vector<double>;

const Rates kOne{100, 101, 99};
const Rates kTwo{190, 195, 185};
const Rates kEight{197, 198, 196};

// R 4.2.2: exp(mean(log(many)) - mean(log(one))) / workers, and exp(t.test(log(many), log(one))$conf.int) / workers.
TEST(WorkerCurve, HasTheEfficiencyPerWorkerAgainstOneAlone) {
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

TEST(WorkerCurve, RefusesRatesOfZero) {
  const Rates zero{0};
  EXPECT_THROW(worker_curve(std::vector<WorkerTrials>{{1, kOne}, {2, zero}}), Error);
  EXPECT_THROW(worker_curve(std::vector<WorkerTrials>{{2, zero}}), Error);
}

TEST(WorkerCurve, SkipsCountsWithoutTrials) {
  const std::vector<WorkerPoint> points = worker_curve(std::vector<WorkerTrials>{{1, {}}, {2, kTwo}});
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].workers, 2U);
  EXPECT_TRUE(worker_curve({}).empty());
}

}  // namespace
}  // namespace loadline
