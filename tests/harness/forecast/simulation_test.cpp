#include "harness/forecast/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>

#include "harness/forecast/model.h"
#include "harness/forecast/simgrid.h"
#include "loaders/error.h"

namespace loadline {
namespace {

using testing::AllOf;
using testing::Gt;
using testing::Lt;

// Two workers load 200 samples/s and the step takes 1000; a sample is 1 MB.
Basis bound_by_loading() {
  return {.batch_size = 10,
          .workers = 2,
          .prefetch = 2,
          .in_flight = 2,
          .load_per_second = {200, std::nullopt},
          .step_per_second = {1000, std::nullopt},
          .bytes_per_sample = 1e6,
          .requests_per_sample = 1,
          .dataset_bytes = 1e9};
}

Basis bound_by_steps() {
  Basis basis = bound_by_loading();
  basis.load_per_second.value = 1e6;
  basis.step_per_second.value = 100;
  return basis;
}

// Stands in for SimGrid: each step takes a second.
class SecondASteps final : public Simulator {
 public:
  SimulatedTimes run(const SimulationPlan& plan) override {
    plans.push_back(plan);
    SimulatedTimes times{.outcome = {.wait_seconds = 3, .held_seconds = 1}};
    for (std::size_t i = 0; i < plan.steps(); ++i) times.step_ends.push_back(static_cast<double>(i + 1));
    return times;
  }

  std::vector<SimulationPlan> plans;
};

TEST(Simulation, GroupsNodesBeyondTheMaximum) {
  const System system{.ranks_of_node = 8};
  const SimulationPlan plan = plan_simulation(bound_by_loading(), system, 10'000, 1, 1);
  ASSERT_EQ(plan.groups.size(), 256U);
  double nodes = 0;
  double ranks = 0;
  for (const SimulatedGroup& group : plan.groups) {
    nodes += group.nodes;
    ranks += group.ranks;
  }
  EXPECT_EQ(nodes, 1250);
  EXPECT_EQ(ranks, 10'000);
}

TEST(Simulation, GivesTheLastNodeTheRemainingRanks) {
  const System system{.ranks_of_node = 8};
  const SimulationPlan plan = plan_simulation(bound_by_loading(), system, 18, 1, 1);
  ASSERT_EQ(plan.groups.size(), 3U);
  EXPECT_EQ(plan.groups[2].ranks, 2);
}

TEST(Simulation, SimulatesAShortEpochWhole) {
  Basis basis = bound_by_loading();
  basis.dataset_samples = 65'536;
  basis.batch_size = 32;
  EXPECT_EQ(plan_simulation(basis, {}, 288, 1, 1).epochs[0].steps, 8U) << "7.1";
  EXPECT_EQ(plan_simulation(basis, {}, 1, 1, 1).epochs[0].steps, 32U) << "of 2048";
}

TEST(Simulation, LetsTheMissesOfCropsDecayDuringAnEpoch) {
  Basis basis = bound_by_loading();
  basis.random_crops = true;
  basis.dataset_samples = 2000;  // two datasets' worth per epoch, one on each node, in 100 steps
  System system;
  system.node_memory = 1e12;
  const SimulationPlan plan = plan_simulation(basis, system, 2, 2, 1);
  EXPECT_DOUBLE_EQ(plan.epochs[0].missed, 1);
  EXPECT_DOUBLE_EQ(plan.epochs[0].decay, 1.0 / 100);
  EXPECT_DOUBLE_EQ(plan.epochs[1].missed, std::exp(-1));
}

TEST(Simulation, DrawsOnlyWhereThereIsSomethingToDraw) {
  SecondASteps simulator;
  simulated_point(simulator, bound_by_loading(), {}, 4, 1, 5);
  EXPECT_EQ(simulator.plans.size(), 1U);
  Basis basis = bound_by_loading();
  basis.load_per_second.ci95 = Interval{180, 220};
  simulated_point(simulator, basis, {}, 4, 1, 5);
  ASSERT_EQ(simulator.plans.size(), 6U);
  EXPECT_NE(simulator.plans[1].run.hit_seconds, simulator.plans[2].run.hit_seconds)
      << "each seed has a rate of its own";
}

TEST(Simulation, CountsTheStepsAfterTheWarmUp) {
  SecondASteps simulator;
  const SimulatedPoint point = simulated_point(simulator, bound_by_loading(), {}, 4, 1, 5);
  EXPECT_DOUBLE_EQ(point.samples_per_second, 40) << "4 ranks of a batch of 10 in a second";
  EXPECT_DOUBLE_EQ(point.waiting, 3.0 / 32);
  EXPECT_DOUBLE_EQ(point.held, 1.0 / 32);
  EXPECT_DOUBLE_EQ(point.median_step, 1);
}

TEST(Simulation, ReadsAsFastAsTheFirstEpochOfOneRankTook) {
  Basis basis = bound_by_steps();
  basis.cold_seconds_per_sample = 0.01;  // half as fast as the step alone
  EXPECT_NEAR(cold_reads_per_second(basis).value(), 50, 1e-4);
  basis.random_crops = true;
  basis.dataset_samples = 10'000;  // ten datasets' worth of crops, of which one is read
  // A first read of y steps solves (y - 1 - ln y) / 10 = 1: reads are the limit while longer than a step.
  const double y = 100 / cold_reads_per_second(basis).value();
  EXPECT_NEAR(y - 1 - std::log(y), 10, 0.01);
  basis.cold_seconds_per_sample = std::nullopt;
  EXPECT_FALSE(cold_reads_per_second(basis).has_value());
}

TEST(Simulation, FindsVerySlowReadsAndRefusesThoseBeyondADouble) {
  Basis basis = bound_by_steps();
  basis.cold_seconds_per_sample = 1e300;
  EXPECT_NEAR(cold_reads_per_second(basis).value(), 1e-300, 1e-308);
  basis.cold_seconds_per_sample = 1.7e308;
  EXPECT_THROW(cold_reads_per_second(basis), Error);
}

TEST(Simulation, FindsTheReadsOfAnEpochThatDrawsItsDatasetBillionsOfTimes) {
  Basis basis = bound_by_steps();
  basis.cold_seconds_per_sample = 0.01;
  basis.random_crops = true;
  basis.dataset_samples = 1.5e13;  // 1.5e10 times a dataset of a thousand samples
  // y - 1 - ln y = 1.5e10
  EXPECT_NEAR(100 / cold_reads_per_second(basis).value(), 1.5e10, 100);
}

class WithSimGrid : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_simgrid(); !why.empty()) GTEST_SKIP() << why;
    simulator_ = make_simgrid("--simulate");
  }

  SimulatedPoint simulated(const Basis& basis, const System& system, std::size_t ranks, std::size_t epochs = 1) {
    return simulated_point(*simulator_, basis, system, ranks, epochs, 5);
  }

  // The simulated rate divided by that of the closed form.
  double ratio(const Basis& basis, const System& system, std::size_t ranks) {
    return simulated(basis, system, ranks).samples_per_second /
           forecast_point(basis, system, ranks, 1).samples_per_second;
  }

  std::unique_ptr<Simulator> simulator_;
};

TEST_F(WithSimGrid, AgreesWithTheClosedFormWhereNothingIsRandom) {
  EXPECT_NEAR(ratio(bound_by_loading(), {}, 8), 1, 0.01) << "loader";
  EXPECT_NEAR(ratio(bound_by_steps(), {}, 8), 1, 0.01) << "step";
  System bytes{.ranks_of_node = 4};
  bytes.storage.bytes_per_second = 1e9;
  EXPECT_NEAR(ratio(bound_by_loading(), bytes, 1), 1, 0.01);
  EXPECT_NEAR(ratio(bound_by_loading(), bytes, 5), 1, 0.01) << "below the limit";
  EXPECT_NEAR(ratio(bound_by_loading(), bytes, 100), 1, 0.01) << "beyond it";
  EXPECT_NEAR(ratio(bound_by_steps(), bytes, 5000), 1, 0.01) << "in groups";
  System client{.ranks_of_node = 4};
  client.storage.client_bytes_per_second = 1e8;
  EXPECT_NEAR(ratio(bound_by_loading(), client, 6), 1, 0.01) << "a node of two waits for the one of four";
  EXPECT_NEAR(ratio(bound_by_loading(), client, 8), 1, 0.01);
  System operations;
  operations.storage.iops = 500;
  operations.storage.latency = 0.02;
  EXPECT_NEAR(ratio(bound_by_loading(), operations, 2), 1, 0.01);
  EXPECT_NEAR(ratio(bound_by_loading(), operations, 64), 1, 0.01);
  Basis serial = bound_by_loading();
  serial.workers = 0;
  serial.overlap = 0;
  EXPECT_NEAR(ratio(serial, {}, 4), 1, 0.01);
  Basis coupled = bound_by_steps();
  coupled.together_per_second = Estimate{0.8 * coupled.step_per_second.value, std::nullopt};
  EXPECT_NEAR(ratio(coupled, {}, 4), 1, 0.01);
}

TEST_F(WithSimGrid, AddsTheTimeOfSummingUpGradients) {
  Basis basis = bound_by_steps();
  basis.gradient_bytes = 1e8;
  System system;
  system.network = {.bytes_per_second = 1e9, .latency = 1e-5};
  EXPECT_NEAR(ratio(basis, system, 32), 1, 0.01);
}

TEST_F(WithSimGrid, LetsTheSlowestRankHoldUpTheOthers) {
  Basis basis = bound_by_steps();
  basis.step_variation = 0.05;
  basis.steps_of_trial = 1;
  EXPECT_NEAR(ratio(basis, {}, 64), 1, 0.01) << "the mean of many steps is what the closed form expects";
  const SimulatedPoint point = simulated(basis, {}, 64);
  EXPECT_THAT(point.held, AllOf(Gt(0.08), Lt(0.13))) << "the slowest of 64 is 2.4 deviations late";
  EXPECT_GT(point.slow_step, point.median_step);
  EXPECT_GT(point.high_per_second, point.low_per_second);
}

TEST_F(WithSimGrid, DrawsTheSameFromTheSameSeeds) {
  Basis basis = bound_by_steps();
  basis.step_variation = 0.05;
  const double once = simulated(basis, {}, 16).samples_per_second;
  EXPECT_NEAR(simulated(basis, {}, 16).samples_per_second, once, 1e-4 * once) << "but for where the clock stands";
}

TEST_F(WithSimGrid, ReadsTheSecondEpochFromTheMemoryOfANode) {
  System system;
  system.storage.bytes_per_second = 2e7;
  system.node_memory = 1e12;
  Basis basis = bound_by_steps();
  basis.dataset_samples = 1000;
  const SimulatedPoint point = simulated(basis, system, 1, 2);
  EXPECT_NEAR(point.epochs[0], 20, 0.3);
  EXPECT_NEAR(point.epochs[1], 100, 3) << "but for a batch that was on its way";
}

TEST_F(WithSimGrid, RefusesAPlanThatIsNotFinite) {
  const auto refusal = [&](const SimulationPlan& plan) -> std::string {
    try {
      simulator_->run(plan);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  SimulationPlan plan = plan_simulation(bound_by_steps(), {}, 2, 1, 0);
  EXPECT_EQ(refusal(plan), "");
  plan.epochs.front().missed = std::nan("");
  EXPECT_EQ(refusal(plan), "cannot simulate by SimGrid: an epoch's share of missed samples is nan");
  plan = plan_simulation(bound_by_steps(), {}, 2, 1, 0);
  plan.run.miss_seconds = INFINITY;
  EXPECT_EQ(refusal(plan), "cannot simulate by SimGrid: the time of a batch from storage is inf");
}

TEST_F(WithSimGrid, LeavesSignalsAsItFindsThem) {
  simulated(bound_by_steps(), {}, 2);
  struct sigaction before {};
  ::sigaction(SIGINT, nullptr, &before);
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &ignored, nullptr);
  simulated(bound_by_steps(), {}, 2);
  struct sigaction after {};
  ::sigaction(SIGINT, &before, &after);
  EXPECT_EQ(after.sa_handler, SIG_IGN) << "set after the first simulation";
}

TEST_F(WithSimGrid, StepsAfterVerySlowCopies) {
  System system{.ranks_of_node = 4, .staging = Staging::kCopies};
  system.storage.bytes_per_second = 1e-6;
  const SimulatedPoint point = simulated(bound_by_steps(), system, 8);
  EXPECT_NEAR(point.staging_seconds.value(), 2e15, 1e12) << "two nodes, 1 GB each";
  EXPECT_NEAR(point.samples_per_second, 800, 8);
}

TEST_F(WithSimGrid, CopiesToEachNodeFirst) {
  System system{.ranks_of_node = 4, .staging = Staging::kCopies};
  system.storage.bytes_per_second = 1e9;
  system.storage.client_bytes_per_second = 2e8;
  EXPECT_NEAR(simulated(bound_by_steps(), system, 8).staging_seconds.value(), 5, 0.01) << "each by its own link";
  EXPECT_NEAR(simulated(bound_by_steps(), system, 80).staging_seconds.value(), 20, 0.01) << "20 GB by one storage";
  EXPECT_NEAR(simulated(bound_by_steps(), system, 80).samples_per_second, 8000, 80);
}

}  // namespace
}  // namespace loadline
