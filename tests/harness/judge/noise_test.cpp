#include "harness/judge/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "harness/judge/diff.h"
#include "tests/harness/support/noise.h"
#include "tests/harness/support/results.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::kFull;
using test::kIo;
using test::noise_of;
using test::overhead;
using test::part_with;
using test::result_of;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kRange = "two identical runs differ by up to 20 % on host (5 pairs of runs, 2026-11-22)";

Result run_of(std::vector<double> full) {
  return result_of({{.mode = kFull, .rates = std::move(full)}});
}

ResultDiff diff(const Result& base, const Result& changed, double floor, std::optional<double> margin = {}) {
  return diff_results({"base.json", base}, {"new.json", changed},
                      {.margin = margin, .noise = {noise_of({part_with(floor, kFull)})}});
}

// Expected values come from scipy.stats.t.ppf(0.975, 5) with the formula of noise.h.
TEST(NoiseFloor, IsThePredictionIntervalOfOneFurtherPair) {
  const NoiseFloor::Part part{.cell = "a", .workload = "mnist", .ratios = {1.01, 0.99, 1.02, 1.0, 0.98}};
  EXPECT_NEAR(part.spread(), 0.014144339967947905, 1e-15);
  EXPECT_NEAR(part.floor(), 0.03702826295436984, 1e-10);
}

TEST(NoiseFloor, CoversNineteenInTwentyFurtherPairsWhateverTheNumberOfPairs) {
  constexpr double kOfRuns = 0.02;   // between processes
  constexpr double kOfMeans = 0.01;  // of the mean of the trials of one process
  constexpr int kFloors = 5'000;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const auto pair = [&] {
    const auto run = [&] { return kOfRuns * normal(random) + kOfMeans * normal(random); };
    return std::exp(run() - run());
  };
  for (const std::size_t pairs : {5U, 10U, 40U}) {
    int held = 0;
    for (int i = 0; i < kFloors; ++i) {
      NoiseFloor::Part part;
      for (std::size_t k = 0; k < pairs; ++k) part.ratios.push_back(pair());
      const double further = pair();
      if (std::max(further, 1 / further) <= 1 + part.floor()) ++held;
    }
    EXPECT_NEAR(held / static_cast<double>(kFloors), 0.95, 0.0125) << pairs << " pairs";  // 4 standard errors
  }
}

TEST(NoiseFloor, ComesFromPairsOfRuns) {
  const std::vector<Result> runs{
      result_of({{.mode = kFull, .rates = {100, 400}}, {.mode = kIo, .rates = {1, 1}}, overhead()}),
      result_of({{.mode = kFull, .rates = {220, 220}}, {.mode = kIo, .rates = {1, 1}}, overhead()}),
      result_of({{.mode = kFull, .rates = {200, 200}}, {.mode = kIo, .rates = {4, 1}}, overhead()}),
      result_of({{.mode = kFull, .rates = {180, 180}}, {.mode = kIo, .rates = {1, 1}}, overhead()})};
  const NoiseFloor noise = noise_floor(runs, runs.front().environment);
  EXPECT_EQ(noise.pairs, 2U);
  EXPECT_EQ(noise.trials, 2U);
  EXPECT_EQ(noise.machine.threads_in_force, 4U);
  EXPECT_EQ(noise.build.version, "1.2.3");
  ASSERT_EQ(noise.parts.size(), 2U);
  EXPECT_EQ(noise.parts[0].cell, "mnist/FULL/serial/batch:100");
  EXPECT_EQ(noise.parts[0].workload, "mnist");
  EXPECT_EQ(noise.parts[0].mode, kFull);
  EXPECT_THAT(noise.parts[0].ratios, ElementsAre(testing::DoubleNear(1.1, 1e-12), testing::DoubleNear(0.9, 1e-12)));
  EXPECT_THAT(noise.parts[1].ratios, ElementsAre(1, testing::DoubleNear(0.5, 1e-12)));
  EXPECT_NEAR(noise.parts[0].trial_seconds, (1e4 / 100 + 1e4 / 400 + 2e4 / 220 + 2e4 / 200 + 2e4 / 180) / 8, 1e-9);
}

TEST(NoiseFloor, RefusesRunsThatDoNotMatch) {
  const auto refusal = [](const std::vector<Result>& runs) {
    return test::thrown_by([&] { noise_floor(runs, {}); }).message;
  };
  EXPECT_EQ(refusal({run_of({1})}), "noise floor: want runs in pairs, got 1");
  EXPECT_EQ(refusal({run_of({1}), result_of({{.mode = kIo, .rates = {1}}})}),
            "noise floor: want runs of the same cells, got others");
  EXPECT_EQ(refusal({run_of({1}), run_of({1, 1})}),
            "noise floor: want the same number of trials of each cell in every run");
  EXPECT_EQ(refusal({run_of({}), run_of({})}), "noise floor: mnist/FULL/serial/batch:100 has no trials");
}

TEST(NoiseFloor, IsTheLargestOfAModesCells) {
  const NoiseFloor noise = noise_of({part_with(0.1, kFull), part_with(0.2, kFull)});
  EXPECT_NEAR(*noise.of(kFull), 0.2, 1e-12);
  EXPECT_EQ(noise.of(kIo), std::nullopt);
}

TEST(NoiseFloor, IsTooPoorWithFewPairsOrWhereItSaysNothing) {
  EXPECT_EQ(poor_noise(noise_of({part_with(0.49, kFull)})), "");
  EXPECT_EQ(poor_noise(noise_of({part_with(0.01, kFull, "quiet"), part_with(0.6, kFull, "loud")})),
            "two runs of loud differ by up to 60 %; above 50 % a noise floor says nothing");
  NoiseFloor few = noise_of({part_with(0.01, kFull)});
  few.parts[0].ratios.pop_back();
  EXPECT_EQ(poor_noise(few), "a noise floor from 4 pairs of runs says too little; want at least 5");
}

TEST(FloorFor, TakesTheSameCellThenTheWorkloadThenTheMode) {
  const Result run = result_of({{.mode = kIo, .rates = {100, 100, 100}}});
  const CellResult& cell = run.cells[0];
  const auto floor = [&](std::vector<NoiseFloor::Part> parts) {
    const std::vector<NoiseFloor> noise{noise_of(std::move(parts))};
    const auto found = floor_for(noise, cell, cell);
    return found ? std::round(100 * found->floor) : -1;
  };
  const auto same = part_with(0.01, kIo, "mnist/IO/serial/batch:100");
  const auto like = part_with(0.02, kIo, "mnist/IO/serial/batch:64");
  const auto other = part_with(0.03, kIo, "photos/IO/serial/batch:64", "photos");
  const auto full = part_with(0.04, kFull, "mnist/FULL/serial/batch:100");
  auto cold = part_with(0.05, kIo, "mnist/IO/serial/batch:100");
  cold.cache = CacheState::kCold;
  EXPECT_EQ(floor({full, other, like, same, cold}), 1);
  EXPECT_EQ(floor({full, other, like, cold}), 2);
  EXPECT_EQ(floor({full, other, cold}), 3);
  EXPECT_EQ(floor({full, cold}), -1);
}

TEST(FloorFor, TakesTheNoisiestHost) {
  const Result run = run_of({100, 100, 100});
  std::vector<NoiseFloor> noise{noise_of({part_with(0.1, kFull)}), noise_of({part_with(0.2, kFull)})};
  noise[1].machine.hostname = "node7";
  const auto floor = floor_for(noise, run.cells[0], run.cells[0]);
  EXPECT_NEAR(floor->floor, 0.2, 1e-12);
  EXPECT_EQ(floor->noise->machine.hostname, "node7");
}

TEST(FloorFor, IsWidenedForFewerOrShorterTrialsAndNeverNarrowedForMore) {
  const std::vector<NoiseFloor> noise{noise_of({part_with(0.1, kFull)})};
  const auto floor = [&](std::vector<double> base, std::vector<double> changed, double seconds = 0.25) {
    Result first = run_of(std::move(base));
    Result second = run_of(std::move(changed));
    for (Trial& trial : first.cells[0].trials) trial.wall_seconds = seconds;
    for (Trial& trial : second.cells[0].trials) trial.wall_seconds = seconds;
    return *floor_for(noise, first.cells[0], second.cells[0]);
  };
  const std::vector<double> twelve(12, 100);
  EXPECT_NEAR(floor({1, 1, 1}, {1, 1, 1}).floor, 0.1, 1e-12);
  EXPECT_FALSE(floor({1, 1, 1}, {1, 1, 1}).widened);
  EXPECT_NEAR(floor(twelve, twelve, 1).floor, 0.1, 1e-12);
  EXPECT_TRUE(floor({1}, {1}).widened);
  EXPECT_NEAR(std::log1p(floor({1}, {1}).floor), std::sqrt(3) * std::log1p(0.1), 1e-12);
  EXPECT_NEAR(std::log1p(floor({1}, {1, 1, 1}).floor), std::sqrt(2) * std::log1p(0.1), 1e-12);
  EXPECT_NEAR(std::log1p(floor({1, 1, 1}, {1, 1, 1}, 0.0625).floor), 2 * std::log1p(0.1), 1e-12);
}

TEST(Weakened, SaysWhyAFloorWasWidened) {
  const std::vector<NoiseFloor> noise{noise_of({part_with(0.1, kFull)})};
  const Result run = run_of({100});
  EXPECT_EQ(weakened(Change::kRegression, 0.9, 0.03, *floor_for(noise, run.cells[0], run.cells[0])).why,
            "two identical runs differ by up to 18 % on host (5 pairs of runs of 3 trials, widened because these "
            "results have fewer or shorter ones, 2026-11-22)");
}

// Two clear results are 10 % apart. Only the floor says whether two identical runs differ by as much.
TEST(DiffWithNoise, CallsALossWithinTheFloorInconclusiveAndNeverEquivalent) {
  const Result base = run_of({990, 1000, 1010});
  const Result changed = run_of({890, 900, 910});
  const ResultDiff within = diff(base, changed, 0.2);
  EXPECT_EQ(within.verdict, Change::kInconclusive);
  EXPECT_EQ(within.cells[0].change, Change::kInconclusive);
  EXPECT_EQ(within.cells[0].obstacle, kRange);
  EXPECT_EQ(within.cells[0].margin, 0.03);
  EXPECT_NEAR(*within.cells[0].noise_floor, 0.2, 1e-12);
  EXPECT_EQ(diff(changed, base, 0.2).verdict, Change::kInconclusive) << "nor an improvement";

  const ResultDiff beyond = diff(base, changed, 0.1);
  EXPECT_EQ(beyond.verdict, Change::kRegression);
  EXPECT_EQ(beyond.cells[0].obstacle, "");
}

TEST(DiffWithNoise, CallsNothingEquivalentWithAMarginBelowTheFloor) {
  const Result base = run_of({999, 1000, 1001});
  EXPECT_EQ(diff(base, base, 0.02).verdict, Change::kEquivalent);
  const ResultDiff made = diff(base, base, 0.2);
  EXPECT_EQ(made.verdict, Change::kInconclusive);
  EXPECT_EQ(made.cells[0].obstacle, std::string(kRange) + ", more than the margin of 3 %");
  EXPECT_EQ(diff(base, base, 0.2, 0.25).verdict, Change::kEquivalent);
  EXPECT_EQ(diff(base, base, 0.2, 0.01).cells[0].margin, 0.01) << "a margin below the floor is no mistake";
}

TEST(DiffWithNoise, IgnoresTheNoiseOfRatesForOtherMetrics) {
  Result base = run_of({990, 1000});
  for (Trial& trial : base.cells[0].trials) trial.wait.p99_seconds = 1;
  const ResultDiff made =
      diff_results({"a", base}, {"b", base},
                   {.metric = &metric_named("wait_p99_seconds"), .noise = {noise_of({part_with(0.2, kFull)})}});
  EXPECT_EQ(made.cells[0].noise_floor, std::nullopt);
}

TEST(DiffWithNoise, IgnoresTheNoiseBetweenRunsForPairsWithinOneRun) {
  Result base = run_of({990, 1000, 1010});
  Result changed = run_of({890, 900, 910});
  for (Result* result : {&base, &changed}) {
    for (std::size_t i = 0; i < 3; ++i) result->cells[0].trials[i].round = i;
  }
  const ResultDiff made = diff_pairs({"a", base}, {"b", changed}, {.noise = {noise_of({part_with(0.2, kFull)})}});
  EXPECT_EQ(made.verdict, Change::kRegression);
  EXPECT_EQ(made.cells[0].noise_floor, std::nullopt);
}

TEST(NoiseNotes, SayHowTheConditionsOfFloorAndResultsDiffer) {
  const std::vector<NoiseFloor> noise{noise_of({part_with(0.1, kFull)})};
  Result base = run_of({100, 100, 100});
  base.started = "2026-12-22T09:00:00Z";
  base.environment.machine.hostname = "host";
  Result changed = base;
  EXPECT_THAT(noise_notes(noise, {"base.json", base}, {"new.json", changed}), IsEmpty());

  changed.started = "2027-01-10T10:00:00Z";
  changed.environment.machine.hostname = "node8";
  base.environment.machine.threads_in_force = 2;
  base.environment.build.git_revision = "abc";
  EXPECT_THAT(
      noise_notes(noise, {"base.json", base}, {"new.json", changed}),
      ElementsAre(
          "the noise floor of host was measured 49 days from new.json, with CPUs in force 4 (base.json "
          "has 2), with build 1.2.3 Release (base.json has 1.2.3 abc Release); `loadline aa` measures it again",
          "new.json was measured on node8, and the noise floor on host: it does not cover differences between hosts"));
  EXPECT_THAT(noise_notes({}, {"base.json", base}, {"new.json", changed}), IsEmpty());
}

TEST(NoiseNotes, CountThePartOfACpuThatAQuotaLeaves) {
  std::vector<NoiseFloor> noise{noise_of({part_with(0.1, kFull)})};
  Result run = run_of({100, 100, 100});
  run.started = "2026-12-22T09:00:00Z";
  run.environment.machine.hostname = "host";
  noise[0].machine.threads_in_force = run.environment.machine.threads_in_force = 1;
  run.environment.machine.cgroup_cpu_limit = 0.5;
  EXPECT_THAT(noise_notes(noise, {"a.json", run}, {"b.json", run}),
              ElementsAre("the noise floor of host was measured with CPUs in force 1 (a.json has 0.5); `loadline aa` "
                          "measures it again"));
  noise[0].machine.cgroup_cpu_limit = 0.5;
  EXPECT_THAT(noise_notes(noise, {"a.json", run}, {"b.json", run}), IsEmpty());
}

}  // namespace
}  // namespace loadline
