#include "harness/measure/pairs.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/harness/measure/run_fixture.h"

namespace loadline {
namespace {

using PairsTest = test::RunTest;

TEST_F(PairsTest, RunTheTwoSidesSideBySideAndDropTheFirstRound) {
  mnist();
  RunOptions base = options();
  base.modes = {"io", "full"};
  base.loaders = {"thread-pool"};
  RunOptions changed = base;
  changed.workers = {1};
  const PlanContext context{.threads_in_force = 2, .data_directory = home_.path()};
  const Plan plan = plan_pairs(base, changed, context);
  RunContext run_context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
  result_.options = plan.options;
  ASSERT_TRUE(prepare_run(plan, result_, run_context));
  ASSERT_TRUE(run_pairs(3, result_, run_context));
  EXPECT_EQ(listener_.trials.size(), 4U * 4U);
  std::set<std::size_t> places;
  for (std::size_t pair = 0; pair < 2; ++pair) {
    const auto& one = result_.cells[pair].trials;
    const auto& other = result_.cells[pair + 2].trials;
    ASSERT_EQ(one.size(), 3U);
    ASSERT_EQ(other.size(), 3U);
    for (std::size_t round = 0; round < 3; ++round) {
      EXPECT_EQ(one[round].round, round);
      EXPECT_EQ(other[round].round, round);
      EXPECT_EQ(one[round].place / 2, other[round].place / 2);
      places.insert({one[round].place, other[round].place});
    }
  }
  EXPECT_EQ(places.size(), 12U);
  EXPECT_EQ(*places.rbegin(), 11U);

  const PairedResults sides = split_sides(result_, base, changed, "another");
  ASSERT_EQ(sides.base.cells.size(), 2U);
  ASSERT_EQ(sides.changed.cells.size(), 2U);
  EXPECT_EQ(sides.base.cells[1].cell.workers, 2U);
  EXPECT_EQ(sides.changed.cells[1].cell.workers, 1U);
  EXPECT_EQ(sides.changed.options.workers, std::vector<std::size_t>{1});
  EXPECT_EQ(sides.changed.run_id, "another");
}

TEST_F(PairsTest, KeepTheirTrialsWhenStopped) {
  mnist();
  RunOptions base = options();
  base.modes = {"io"};
  base.compute.clear();
  base.loaders = {"serial"};
  base.workers.clear();
  const Plan plan = plan_pairs(base, base, {.threads_in_force = 2, .data_directory = home_.path()});
  listener_.after_trial = [&](std::size_t trials) {
    if (trials == 5) stop_.request_stop();
  };
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
  result_.options = plan.options;
  ASSERT_TRUE(prepare_run(plan, result_, context));
  EXPECT_FALSE(run_pairs(10, result_, context));
  EXPECT_EQ(result_.cells[0].trials.size() + result_.cells[1].trials.size(), 3U);
}

TEST_F(PairsTest, NeedTheSameModesOnBothSides) {
  RunOptions base = options();
  base.modes = {"io"};
  base.compute.clear();
  base.loaders = {"thread-pool"};
  RunOptions changed = base;
  changed.workers = {1, 2};
  EXPECT_EQ(test::thrown_by([&] { plan_pairs(base, changed, {.threads_in_force = 2}); }).message,
            "--base and --new: both sides need equally many cells of the same modes, to form pairs, got "
            "mnist/IO/thread-pool/workers:2/batch:8 and mnist/IO/thread-pool/workers:1/batch:8, "
            "mnist/IO/thread-pool/workers:2/batch:8");
}

}  // namespace
}  // namespace loadline
