#include "harness/judge/walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/judgement.h"
#include "loaders/error.h"
#include "tests/harness/support/comparisons.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::result_of;
using test::walk;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct StepFigures {
  std::vector<double> io;
  std::vector<double> synthetic;
  std::vector<double> full;
};

// One configuration with its three modes.
Result step(const StepFigures& figures, const std::string& loader, std::size_t workers,
            const std::string& compute = "device:samples_per_second=1000") {
  Result result = result_of({{.mode = Mode::kIo, .rates = figures.io, .loader = loader, .workers = workers},
                             {.mode = Mode::kSynthetic, .rates = figures.synthetic},
                             {.mode = Mode::kFull, .rates = figures.full, .loader = loader, .workers = workers}});
  result.cells[1].cell.compute = result.cells[2].cell.compute = compute;
  for (Trial& trial : result.cells[0].trials) {
    trial.fill = Fill{.wall_seconds = trial.wall_seconds, .batches = trial.batches, .samples = trial.samples};
  }
  result.status = Status::kComplete;
  return result;
}

const Result kSlowRun = step({{198, 200, 202}, {990, 1000, 1010}, {178, 180, 182}}, "hdf5", 1);
const Result kMapped = step({{5980, 6000, 6020}, {990, 1000, 1010}, {980, 990, 1000}}, "hdf5-mmap", 2);
const Result kFaster = step({{5980, 6000, 6020}, {3960, 4000, 4040}, {3160, 3200, 3240}}, "hdf5-mmap", 2,
                            "device:samples_per_second=4000");

TEST(Walk, HasAStepForEachResultWithWhatChanged) {
  const Walk made = walk({kSlowRun, kMapped, kFaster});
  ASSERT_EQ(made.workloads.size(), 1U);
  EXPECT_EQ(made.workloads[0].workload, "mnist");
  EXPECT_EQ(made.workloads[0].mode, Mode::kFull);
  const auto& steps = made.workloads[0].steps;
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].setting, "hdf5 x 1, device:samples_per_second=1000, batch size 100");
  EXPECT_THAT(steps[0].changes, IsEmpty());
  EXPECT_THAT(steps[1].changes,
              ElementsAre(Difference{"loader", "hdf5", "hdf5-mmap"}, Difference{"workers", "1", "2"}));
  EXPECT_THAT(steps[2].changes,
              ElementsAre(Difference{"compute", "device:samples_per_second=1000", "device:samples_per_second=4000"}));
  EXPECT_DOUBLE_EQ(steps[1].io->mean, 6000);
  EXPECT_DOUBLE_EQ(steps[1].synthetic->mean, 1000);
  EXPECT_DOUBLE_EQ(steps[1].full->mean, 990);
  EXPECT_EQ(steps[1].bottleneck->bound, Bound::kCompute);
  EXPECT_NEAR(steps[0].bottleneck->stall->value, 0.82, 1e-4);
  EXPECT_FALSE(steps[1].best);
}

TEST(Walk, ComparesEachStepWithTheOneBeforeAndTheFirst) {
  const auto steps = walk({kSlowRun, kMapped, kFaster}).workloads[0].steps;
  EXPECT_FALSE(steps[0].over_before.has_value());
  EXPECT_FALSE(steps[0].over_first.has_value());
  // Ratios of geometric means.
  EXPECT_NEAR(steps[1].over_before->comparison->ratio.value, 5.500039, 1e-6);
  EXPECT_NEAR(steps[1].over_first->comparison->ratio.value, 5.500039, 1e-6);
  EXPECT_NEAR(steps[2].over_before->comparison->ratio.value, 3.232265, 1e-6);
  EXPECT_NEAR(steps[2].over_first->comparison->ratio.value, 17.777583, 1e-5);
  EXPECT_EQ(steps[2].over_before->change, Change::kImprovement);
}

TEST(Walk, AttributesAGainToComputeAndLoading) {
  const auto steps = walk({kSlowRun, kMapped, kFaster}).workloads[0].steps;
  const Shares& shares = *steps[2].over_before->shares;
  EXPECT_TRUE(shares.other_step);
  EXPECT_NEAR(shares.compute.value, 4, 1e-9);
  EXPECT_NEAR(shares.compute.value * shares.loading.value, steps[2].over_before->comparison->ratio.value, 1e-12);
  EXPECT_FALSE(steps[1].over_before->shares->other_step);
}

TEST(Walk, AdjustsAllGainsTogetherAndCountsTheFirstStepOnce) {
  const Result same = step({{198, 200, 202}, {990, 1000, 1010}, {178, 180, 182}}, "hdf5", 1);
  const auto steps = walk({kSlowRun, same, same}).workloads[0].steps;
  // Three gains whose p is 1.
  EXPECT_DOUBLE_EQ(*steps[1].over_before->adjusted_p, 1);
  const Result slower = step({{198, 200, 202}, {990, 1000, 1010}, {158, 160, 162}}, "hdf5", 1);
  const auto regressed = walk({kSlowRun, slower, slower}).workloads[0].steps;
  const double p = *regressed[1].over_before->comparison->ratio.p;
  EXPECT_NEAR(*regressed[1].over_before->adjusted_p, 3 * p, 1e-12);
  EXPECT_NEAR(*regressed[2].over_first->adjusted_p, 3 * p, 1e-12);
  EXPECT_DOUBLE_EQ(*regressed[2].over_before->adjusted_p, 1);
}

TEST(Walk, IsARegressionWhereAnyStepIsSlowerThanTheOneBefore) {
  EXPECT_EQ(walk({kSlowRun, kMapped, kFaster}).verdict, Change::kImprovement);
  EXPECT_EQ(walk({kSlowRun, kFaster, kMapped}).verdict, Change::kRegression);
}

TEST(Walk, UsesTheFastestOfEachResult) {
  Result several = kMapped;
  for (CellResult cell : step({{9, 9}, {9, 9}, {9, 9}}, "hdf5-mmap", 1).cells) {
    if (cell.cell.mode != Mode::kSynthetic) several.cells.push_back(std::move(cell));
  }
  const auto steps = walk({kSlowRun, several, kFaster}).workloads[0].steps;
  EXPECT_TRUE(steps[1].best);
  EXPECT_EQ(steps[1].cell, "mnist/FULL/hdf5-mmap/workers:2/batch:100");
}

TEST(Walk, ReportsAStepThatLacksWhatTheFirstHas) {
  const Result io = result_of({{.mode = Mode::kIo, .rates = {200, 200}, .loader = "hdf5", .workers = 1}});
  const Walk made = walk({kSlowRun, io, kFaster});
  EXPECT_THAT(made.lost, ElementsAre("s2.json has no FULL of mnist"));
  EXPECT_TRUE(made.lost_cells);
  EXPECT_EQ(made.verdict, Change::kInconclusive);
  EXPECT_EQ(made.workloads[0].steps[1].cell, "");
  // The next step is compared with the last one that has it.
  EXPECT_NEAR(made.workloads[0].steps[2].over_before->comparison->ratio.value, 17.777583, 1e-5);
  EXPECT_EQ(walk({kSlowRun, io, kFaster}, {.allow_missing = true}).verdict, Change::kImprovement);
}

TEST(Walk, NeverAcceptsAStepWhoseCellFailed) {
  Result failed = kMapped;
  failed.cells[2].trials.clear();
  failed.cells[2].error = "device lost";
  const Walk made = walk({kSlowRun, failed, kFaster}, {.allow_missing = true});
  EXPECT_THAT(made.lost, ElementsAre("s2.json has no trials of FULL of mnist: device lost"));
  EXPECT_FALSE(made.lost_cells);
  EXPECT_EQ(made.verdict, Change::kInconclusive);
  EXPECT_NEAR(made.workloads[0].steps[2].over_before->comparison->ratio.value, 17.777583, 1e-5);
  failed.cells[2].error.reset();
  EXPECT_THAT(walk({failed, kMapped, kFaster, kFaster}, {.allow_missing = true}).lost,
              ElementsAre("s1.json has no trials of FULL of mnist"));
}

TEST(Walk, FollowsIoWhereThereIsNoFull) {
  const Result first = result_of({{.mode = Mode::kIo, .rates = {200, 200}, .loader = "hdf5", .workers = 1}});
  const Result second = result_of({{.mode = Mode::kIo, .rates = {400, 400}, .loader = "hdf5", .workers = 2}});
  const Walk made = walk({first, second, second});
  EXPECT_EQ(made.workloads[0].mode, Mode::kIo);
  EXPECT_EQ(made.workloads[0].steps[0].setting, "hdf5 x 1, batch size 100");
  EXPECT_NEAR(made.workloads[0].steps[1].over_first->comparison->ratio.value, 2, 1e-12);
  EXPECT_EQ(walk({kSlowRun, kMapped}, {.metric = &metric_named("io")}).workloads[0].mode, Mode::kIo);
}

TEST(Walk, RefusesUnlikeMachinesAndResultsWithNothingInCommon) {
  Result other = kMapped;
  other.environment.machine.cpu_model = "Other CPU";
  EXPECT_THAT(test::thrown_by([&] {
                walk({kSlowRun, kMapped, other});
              }).message,
              HasSubstr("cannot compare s3.json with s1.json: they differ in CPU"));
  EXPECT_EQ(walk({kSlowRun, kMapped, other}, {.allow_mismatch = true}).unlike.size(), 1U);
  Result elsewhere = kMapped;
  for (CellResult& cell : elsewhere.cells) cell.cell.workload = "cifar10";
  EXPECT_THAT(test::thrown_by([&] {
                walk({kSlowRun, elsewhere, elsewhere});
              }).message,
              HasSubstr("they have no workload in common"));
}

}  // namespace
}  // namespace loadline
