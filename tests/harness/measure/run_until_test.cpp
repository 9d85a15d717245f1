// When the cells of a run have enough trials.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "harness/measure/run.h"
#include "tests/harness/measure/run_fixture.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

using test::RunTest;

// IO of two batch sizes, and OVERHEAD. Every look at the clock takes a microsecond, so all trials are alike.
class RunUntilTest : public RunTest {
 protected:
  RunUntilTest() {
    mnist();
    fake_.set_tick(std::chrono::microseconds(1));
  }

  RunOptions io() const {
    RunOptions io = options();
    io.loaders = {"serial"};
    io.workers.clear();
    io.modes = {"io"};
    io.compute.clear();
    io.batch_sizes = {4, 8};
    io.trials = 5;
    return io;
  }

  std::vector<std::size_t> trials() const {
    std::vector<std::size_t> counts;
    for (const CellResult& cell : result_.cells) counts.push_back(cell.trials.size());
    return counts;
  }

  std::vector<std::string> reasons() const {
    std::vector<std::string> names;
    for (const CellResult& cell : result_.cells) names.emplace_back(cell.stopped ? name(*cell.stopped) : "none");
    return names;
  }

  using Counts = std::vector<std::size_t>;
  using Names = std::vector<std::string>;

  test::FakeClock fake_;
};

TEST_F(RunUntilTest, EveryCellHasTheRequestedTrials) {
  EXPECT_TRUE(run(plan_of(io()), fake_));
  EXPECT_EQ(trials(), (Counts{5, 5, 5}));
  EXPECT_EQ(reasons(), (Names{"trials", "trials", "trials"}));
}

TEST_F(RunUntilTest, IntervalsAreNarrowEnough) {
  RunOptions until = io();
  until.until_ci = 0.01;
  EXPECT_TRUE(run(plan_of(until), fake_));
  EXPECT_EQ(trials(), (Counts{10, 10, 5}));
  EXPECT_EQ(reasons(), (Names{"interval", "interval", "trials"}));
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(result_.cells[0].trials[i].pilot, i < 5);
  for (const Trial& trial : result_.cells[2].trials) EXPECT_FALSE(trial.pilot) << "its number is not looked for";
}

TEST_F(RunUntilTest, OthersGoOnWhenOneHasEnough) {
  RunOptions until = io();
  until.modes = {"io", "synthetic"};
  until.batch_sizes = {8};
  // Steps take 8 ms, beside which a look at the clock is nothing. IO consists of such looks only, and each trial takes
  // longer than the one before.
  until.compute = "device:samples_per_second=1000,depth=0";
  until.until_ci = 0.01;
  until.max_trials = 12;
  listener_.after_trial = [&](std::size_t done) { fake_.set_tick(std::chrono::microseconds(1 + done)); };
  EXPECT_TRUE(run(plan_of(until), fake_));
  EXPECT_EQ(trials(), (Counts{12, 10, 5}));
  EXPECT_EQ(reasons(), (Names{"max-trials", "interval", "trials"}));
  for (std::size_t round = 0; round < 12; ++round) EXPECT_EQ(result_.cells[0].trials[round].round, round);
  EXPECT_EQ(result_.cells[0].trials[11].place, 26U);
}

TEST_F(RunUntilTest, CeilingsGoOnWithTheCellsThatTheyBound) {
  result_.environment.machine.memory_available_bytes = std::size_t{16} << 20;
  RunOptions until = with_ceilings();
  until.loaders = {"serial"};
  until.workers.clear();
  until.modes = {"io", "synthetic"};
  until.trials = 2;
  until.until_ci = 1e-4;  // no real machine reaches this
  until.max_trials = 11;
  EXPECT_TRUE(run(plan_of(until)));
  EXPECT_EQ(trials(), (Counts{11, 11, 5}));
  for (std::size_t i = 0; i < result_.ceilings.size(); ++i) {
    const auto& bounds = result_.cells[0].bounds;
    const bool binds = std::ranges::find(bounds, i) != bounds.end();
    EXPECT_EQ(result_.ceilings[i].trials.size(), binds ? 11U : 10U) << result_.ceilings[i].ceiling.id();
  }
}

TEST_F(RunUntilTest, NoFurtherRoundFitsTheTimeLimit) {
  RunOptions limited = io();
  limited.time_limit = 100;
  listener_.after_trial = [&](std::size_t /*done*/) { fake_.advance(std::chrono::seconds(10)); };
  EXPECT_TRUE(run(plan_of(limited), fake_));
  EXPECT_EQ(trials(), (Counts{3, 3, 3})) << "30 s a round";
  EXPECT_EQ(reasons(), (Names{"time-limit", "time-limit", "time-limit"}));
}

TEST_F(RunUntilTest, NoTrialCanBeginWithinTheTimeLimit) {
  RunOptions limited = io();
  limited.time_limit = 15;
  listener_.after_trial = [&](std::size_t /*done*/) { fake_.advance(std::chrono::seconds(10)); };
  EXPECT_TRUE(run(plan_of(limited), fake_));
  EXPECT_EQ(listener_.trials.size(), 2U);
  EXPECT_EQ(reasons(), (Names{"time-limit", "time-limit", "time-limit"}));
}

TEST_F(RunUntilTest, AWideTimeLimitChangesNothing) {
  RunOptions limited = io();
  limited.time_limit = 1000;
  limited.first_epoch_seconds = 1;
  EXPECT_TRUE(run(plan_of(limited), fake_));
  EXPECT_EQ(reasons(), (Names{"trials", "trials", "trials"}));
  EXPECT_EQ(listener_.first_epochs.size(), 2U);
}

TEST_F(RunUntilTest, FirstEpochsAreLeftOutIfTheyWouldCostTheFirstRound) {
  RunOptions limited = io();
  limited.time_limit = 10;
  limited.first_epoch_seconds = 20;
  EXPECT_TRUE(run(plan_of(limited), fake_));
  EXPECT_TRUE(listener_.first_epochs.empty());
  EXPECT_EQ(trials(), (Counts{5, 5, 5}));
}

// The samples that were tried took microseconds, but a batch of the first epoch takes tenths of a second.
TEST_F(RunUntilTest, FirstEpochsAreLeftOutOnceOneShowsThatTrialsNeedTheTime) {
  RunOptions limited = io();
  limited.trials = 1;
  limited.time_limit = 6;
  limited.first_epoch_seconds = 1;
  RunContext context{.clock = fake_, .stop = stop_.get_token(), .observer = listener_};
  const Plan plan = plan_of(limited);
  ASSERT_TRUE(prepare_run(plan, result_, context));
  fake_.set_tick(std::chrono::milliseconds(100));
  listener_.after_first_epoch = [&] { fake_.set_tick(std::chrono::microseconds(1)); };
  EXPECT_TRUE(run_plan(plan, result_, context));
  EXPECT_EQ(listener_.first_epochs, Names{"mnist/IO/serial/batch:4"});
  EXPECT_EQ(trials(), (Counts{1, 1, 1}));
}

TEST_F(RunUntilTest, CellsComeBeforeCeilingsWhileATimeLimitMayEndTheFirstRound) {
  result_.environment.machine.memory_available_bytes = std::size_t{16} << 20;
  RunOptions limited = with_ceilings();
  limited.trials = 1;
  limited.time_limit = 100;
  std::size_t earlier = 0;
  listener_.after_trial = [&](std::size_t /*done*/) { earlier += listener_.ceilings.size(); };
  EXPECT_TRUE(run(plan_of(limited)));
  EXPECT_EQ(earlier, 0U);
  EXPECT_EQ(listener_.trials.size(), result_.cells.size());
  EXPECT_EQ(listener_.ceilings.size(), result_.ceilings.size());
}

// The run is stopped in the middle of a round, and between two rounds.
TEST_F(RunUntilTest, GoesOnWhereItWasStopped) {
  for (const std::size_t first_part : {7U, 6U}) {
    const Plan plan = plan_of(io());
    result_ = Result();
    listener_ = test::Listener();
    stop_ = std::stop_source();
    listener_.after_trial = [&](std::size_t done) {
      if (done == first_part) stop_.request_stop();
    };
    EXPECT_FALSE(run(plan, fake_));
    RunContext further{.clock = fake_, .stop = {}, .observer = listener_, .earlier_seconds = 1000};
    EXPECT_TRUE(run_plan(plan, result_, further));
    EXPECT_EQ(trials(), (Counts{5, 5, 5}));
    std::set<std::size_t> places;
    for (const CellResult& cell : result_.cells) {
      for (std::size_t round = 0; round < 5; ++round) {
        const Trial& trial = cell.trials[round];
        EXPECT_EQ(trial.round, round);
        EXPECT_EQ(trial.place / 3, round);
        EXPECT_EQ(trial.started_seconds >= 1000, trial.place >= first_part);
        places.insert(trial.place);
      }
    }
    EXPECT_EQ(places.size(), 15U);
    EXPECT_TRUE(run_plan(plan, result_, further)) << "and has nothing left to do";
    EXPECT_EQ(listener_.trials.size(), 15U);
  }
}

}  // namespace
}  // namespace loadline
