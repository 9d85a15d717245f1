// Figures and intervals were computed independently with numpy and scipy 1.10.1: ratios by scipy.stats.ttest_ind on
// logarithms (equal_var=False) and exp(d ± t.ppf(0.975, df) sqrt(v)); the interval of the overlap efficiency by the
// same law of propagation with gradients taken numerically.
#include "harness/judge/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "loaders/error.h"
#include "tests/harness/judge/verdict_fixture.h"

namespace loadline {
namespace {

using test::kCompute;
using test::Measured;
using test::Rates;

TEST(Verdict, BoundByComputeSaysWhatFasterLoadingGivesAtMost) {
  const Verdict verdict =
      Measured{{3400e3, 3450e3, 3500e3}, {150.1e3, 150.0e3, 149.9e3}, {149.0e3, 148.8e3, 148.6e3}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kCompute);
  EXPECT_EQ(
      verdict.sentence,
      "Bound by compute: device is busy 99.2 ± 0.3 % of the time (stall 0.8 ± 0.3 %), so faster loading gives at most "
      "1.1 % more throughput; thread-pool with 4 workers by itself is 23 ± 1 times as fast as the compute; use a "
      "faster compute.");
  EXPECT_EQ(verdict.brief, verdict.sentence);
  EXPECT_EQ(verdict.briefest,
            "Bound by compute: device is busy 99.2 ± 0.3 % of the time (stall 0.8 ± 0.3 %), so faster loading gives at "
            "most 1.1 % more throughput; use a faster compute.");
}

TEST(Verdict, PrintsANegativeStallByItsUpperEndUnlessThatIsNegativeToo) {
  EXPECT_EQ(
      (Measured{{30000, 30100, 29900}, {10000, 10050, 9950}, {10040, 10100, 9990}, 0, "serial"}.verdict().sentence),
      "Bound by compute: device is busy all the time (stall < 0.8 %: zero within noise), so faster loading "
      "gives at most 0.8 % more throughput; serial by itself is 3.00 ± 0.03 times as fast as the compute; use a "
      "faster compute.");
  EXPECT_EQ((Measured{{30000, 30100, 29900}, kCompute, {10200, 10210, 10190}, 0, "serial"}.verdict().sentence),
            "Bound by compute: device is busy all the time (stall -2.0 ± 0.2 %: FULL was no slower than SYNTHETIC), so "
            "faster loading cannot help; serial by itself is 3.00 ± 0.02 times as fast as the compute; use a faster "
            "compute.");
}

TEST(Verdict, BoundByLoadingSaysWhatALoaderThatKeepsUpWouldGive) {
  const Verdict verdict = Measured{{92e3, 90e3, 91e3}, {150.1e3, 150.0e3, 149.9e3}, {93e3, 90e3, 96e3}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kLoader);
  EXPECT_EQ(verdict.sentence,
            "Bound by loading: device waits 38 ± 5 % of the time for thread-pool with 4 workers, which by "
            "itself is 0.61 ± 0.02 times as fast as the compute; a loader that kept up would give 1.61 ± 0.13 times "
            "the throughput: raise --workers or use a faster --loader.");
  EXPECT_EQ(
      verdict.briefest,
      "Bound by loading: device waits 38 ± 5 % of the time for thread-pool with 4 workers: raise --workers or use "
      "a faster --loader.");
}

// Steps of 5 µs, beside a cost of 1 µs per batch.
TEST(Verdict, BoundByLoadingLeavesOutWhatAPerfectLoaderWouldGiveWhereTheHarnessBlursTheStep) {
  const Rates loading{10.0e6, 10.1e6, 9.9e6};
  const Verdict verdict =
      Measured{loading, {100.0e6, 101.0e6, 99.0e6}, loading, 4, "thread-pool", {1e-6, 1e-6, 1e-6}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kLoader);
  EXPECT_EQ(
      verdict.sentence,
      "Bound by loading: device gets 90.0 ± 0.2 % less done with thread-pool with 4 workers than alone; the loader "
      "by itself is 0.100 ± 0.002 times as fast as the compute: raise --workers or use a faster --loader. How much a "
      "loader that kept up would give is unknown, because a step of device lasts less than 20 times the harness's "
      "own cost per batch.");
}

TEST(Verdict, BoundByLoadingSaysWhereTheTwoTakeTurns) {
  EXPECT_EQ(
      (Measured{{5000, 5050, 4950}, kCompute, {3400, 3350, 3380}, 0, "serial"}.verdict().sentence),
      "Bound by loading: device waits 66.2 ± 0.6 % of the time for serial, which by itself is 0.50 ± 0.01 times "
      "as fast as the compute; a loader that kept up would give 2.96 ± 0.05 times the throughput: use a --loader with "
      "workers. The two also mostly take turns (overlap efficiency 0.04 ± 0.05, where 1 is perfect), for which the "
      "same "
      "helps.");
}

TEST(Verdict, BoundByLoadingSaysWhereTheTwoDisturbEachOther) {
  EXPECT_EQ(
      (Measured{{5000, 5050, 4950}, kCompute, {2500, 2550, 2450}}.verdict().sentence),
      "Bound by loading: device waits 75.0 ± 1.3 % of the time for thread-pool with 4 workers, which by itself "
      "is 0.50 ± 0.01 times as fast as the compute; a loader that kept up would give 4.0 ± 0.2 times the throughput: "
      "raise --workers or use a faster --loader. The two also disturb each other (overlap efficiency -1.00 ± 0.18, "
      "where 1 is perfect): they compete for cores or memory bandwidth.");
}

TEST(Verdict, BalancedAsksForBoth) {
  const Verdict verdict = Measured{{10200, 10250, 10150}, kCompute, {9800, 9850, 9750}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kBalanced);
  EXPECT_EQ(verdict.sentence,
            "Balanced: thread-pool with 4 workers by itself is 1.02 ± 0.01 times as fast as device, which waits "
            "2.0 ± 1.2 % of the time; more throughput needs both faster loading and a faster compute.");
}

TEST(Verdict, BoundByInterferenceSaysWhereTheTwoTakeTurns) {
  const Verdict verdict = Measured{{18000, 18100, 17900}, kCompute, {6600, 6700, 6650}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kInterference);
  EXPECT_EQ(verdict.sentence,
            "Bound by interference: thread-pool with 4 workers by itself is 1.80 ± 0.02 times as fast as device, yet "
            "together the compute gets 33.5 ± 1.2 % less done (overlap efficiency 0.09 ± 0.05, where 1 is "
            "perfect); they mostly take turns: use a --loader that reads ahead or deepen --prefetch.");
}

TEST(Verdict, BoundByInterferenceSaysWhereTheyOverlapOnlyInPart) {
  const Verdict verdict = Measured{{14000, 14100, 13900}, kCompute, {9000, 9050, 8950}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kInterference);
  EXPECT_EQ(verdict.sentence,
            "Bound by interference: thread-pool with 4 workers by itself is 1.40 ± 0.02 times as fast as device, yet "
            "together the compute gets 10.0 ± 1.2 % less done (overlap efficiency 0.84 ± 0.02, where 1 is "
            "perfect); their work overlaps, but not fully: deepen --prefetch.");
}

TEST(Verdict, BoundByInterferenceSaysWhereTheyDisturbEachOther) {
  Measured run{{18000, 18100, 17900}, kCompute, {5000, 5100, 4900}};
  EXPECT_EQ(run.verdict().sentence,
            "Bound by interference: thread-pool with 4 workers by itself is 1.80 ± 0.02 times as fast as device, yet "
            "together the compute gets 50 ± 3 % less done (overlap efficiency -0.80 ± 0.17, where 1 is perfect); "
            "together they take longer than one after the other, so they compete for cores or memory bandwidth: use "
            "fewer --workers.");
  run.workers = 1;
  EXPECT_THAT(run.verdict().sentence,
              testing::EndsWith("; together they take longer than one after the other: deepen --prefetch."));
}

// The lower bounds are 45.80 and 4.580; the text used to be "at least 45.80 times".
TEST(Verdict, BoundByLoadingRoundsTheLeastGainDownToTheDigitsOfOthers) {
  const auto sentence = [](double scale) {
    const Rates full{scale * 10, scale * 45, scale * 60};
    return Measured{full, {150e3, 150e3, 150e3}, full}.verdict().sentence;
  };
  EXPECT_THAT(sentence(10), testing::HasSubstr("would give at least 45 times the throughput"));
  EXPECT_THAT(sentence(100), testing::HasSubstr("would give at least 4.57 times the throughput"));
}

// SYNTHETIC reaches 10000; FULL reaches 90 ± 1.2 % of that by default.
Verdict held_to(double au, const Rates& full = {9000, 9050, 8950}) {
  const Rates io{14000, 14100, 13900};
  return judge(
      {.loader = "serial", .compute = "device", .io = io, .synthetic = kCompute, .full = full, .fill = io, .au = au});
}

TEST(UtilisationGoal, IsMetOrMissedWhereTheIntervalIsOnOneSideOfIt) {
  const Verdict met = held_to(0.85);
  EXPECT_EQ(met.goal->asked, 0.85);
  EXPECT_EQ(met.goal->standing, Standing::kMet);
  EXPECT_THAT(met.sentence, testing::EndsWith(" AU 90.0 ± 1.2 % meets the 85 % requested."));
  const Verdict missed = held_to(0.925);
  EXPECT_EQ(missed.goal->standing, Standing::kMissed);
  EXPECT_THAT(missed.sentence, testing::EndsWith(" AU 90.0 ± 1.2 % misses the 92.5 % requested."));
}

TEST(UtilisationGoal, IsUnclearWhereTheIntervalContainsIt) {
  for (const double asked : {0.89, 0.9, 0.91}) EXPECT_EQ(held_to(asked).goal->standing, Standing::kUnclear) << asked;
  EXPECT_THAT(held_to(0.9).sentence,
              testing::EndsWith(" AU 90.0 ± 1.2 % may meet the 90 % requested or miss it: use --trials 5 or more."));
}

TEST(UtilisationGoal, IsUnclearAfterOneTrial) {
  for (const double rate : {8999.0, 9001.0}) {
    const Verdict verdict = held_to(0.9, {rate});
    EXPECT_EQ(verdict.goal->standing, Standing::kUnclear);
    EXPECT_THAT(verdict.sentence, testing::EndsWith(" One trial cannot tell whether AU meets the 90 % requested."));
  }
}

TEST(UtilisationGoal, HasNoFigureWhereTrialsAreTooNoisy) {
  EXPECT_THAT(held_to(0.9, {2000, 5000, 900}).sentence,
              testing::EndsWith(": use --trials 5 or more. Too noisy to say whether AU meets the 90 % requested."));
}

// It used to go on with "use more --trials" after the words that no reasonable number would do.
TEST(UtilisationGoal, RepeatsNoAdviceOfANoisyVerdict) {
  const Verdict verdict = held_to(0.9, {9000, 20000, 4000, 20000, 4000});
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "Too noisy to say whether device waits for data: that would take more than 100 trials, so first find "
            "what disturbs this machine. Too noisy to say whether AU meets the 90 % requested.");
}

TEST(UtilisationGoal, IsAbsentWithoutARequestOrAFigure) {
  EXPECT_FALSE((Measured{{14000}, kCompute, {9000}}.verdict().goal.has_value()));
  EXPECT_FALSE(held_to(0.9, {}).goal.has_value());
}

TEST(Standing, HasANameForEveryValue) {
  EXPECT_EQ(name(Standing::kMet), "met");
  EXPECT_EQ(name(Standing::kMissed), "missed");
  EXPECT_EQ(name(Standing::kUnclear), "unclear");
}

TEST(Verdict, RefusesRatesThatAreNotPositive) {
  EXPECT_THROW((Measured{{0.0}, {1}, {1}}.verdict()), Error);
  EXPECT_THROW((Measured{{1}, {-1}, {1}}.verdict()), Error);
  EXPECT_THROW((Measured{{1}, {1}, {std::nan("")}}.verdict()), Error);
  EXPECT_THROW((Measured{{1}, {1}, {1}, 4, "thread-pool", {-1}}.verdict()), Error);
}

TEST(Verdict, RefusesAnOverheadWithoutABatchSize) {
  const Rates rates{1, 1};
  const Rates overhead{1e-7};
  EXPECT_THROW(judge({.loader = "serial",
                      .compute = "device",
                      .io = rates,
                      .synthetic = rates,
                      .full = rates,
                      .overhead = overhead}),
               Error);
}

TEST(Bound, HasANameForEveryValue) {
  EXPECT_EQ(name(Bound::kCompute), "compute");
  EXPECT_EQ(name(Bound::kLoader), "loader");
  EXPECT_EQ(name(Bound::kBalanced), "balanced");
  EXPECT_EQ(name(Bound::kInterference), "interference");
  EXPECT_EQ(name(Bound::kHarness), "harness");
  EXPECT_EQ(name(Bound::kUnclear), "unclear");
  EXPECT_EQ(name(Bound::kIncomplete), "incomplete");
}

}  // namespace
}  // namespace loadline
