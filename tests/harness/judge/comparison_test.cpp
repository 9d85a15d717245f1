// Expected values come from R 4.2.2: intervals and p from t.test(log(changed), log(base), conf.level, paired), trials
// needed from power.t.test() as named. Detectable changes come from scipy 1.10.1: where the probability that an
// estimate is significant and beyond the margin, integrated by quad() over its estimated error, reaches 0.8.
#include "harness/judge/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "loaders/error.h"

namespace loadline {
namespace {

using Values = std::vector<double>;

const Criteria kRates;
const Criteria kTimes{.higher_is_better = false};

const Values kBase{1000, 1012, 991, 1005, 996};
const Values kSlower{952, 941, 948, 939, 950};
const Values kSame{1001, 1010, 993, 1003, 998};

// The change that a comparison shows when it is judged alone, so that its p needs no adjustment.
Change alone(const Comparison& comparison, const Criteria& criteria = kRates) {
  return change_of(comparison, comparison.ratio.p, criteria);
}

Comparison made(double ratio, std::optional<Interval> equivalence_interval) {
  return {.ratio = {.value = ratio, .ci95 = std::nullopt, .p = std::nullopt},
          .equivalence_interval = equivalence_interval,
          .detectable = std::nullopt,
          .trials_needed = std::nullopt};
}

Values reciprocal(Values values) {
  for (double& value : values) value = 1 / value;
  return values;
}

TEST(Compare, GivesTheRatioOfIndependentSetsWithBothIntervals) {
  const Comparison comparison = compare(kBase, kSlower, kRates);
  EXPECT_NEAR(comparison.ratio.value, 0.945254835959159, 1e-13);
  EXPECT_NEAR(comparison.ratio.ci95.value().low, 0.935326955520906, 1e-9);
  EXPECT_NEAR(comparison.ratio.ci95.value().high, 0.955288094318377, 1e-9);
  EXPECT_NEAR(comparison.equivalence_interval.value().low, 0.93727004675294, 1e-9);
  EXPECT_NEAR(comparison.equivalence_interval.value().high, 0.953307649166452, 1e-9);
  EXPECT_NEAR(comparison.ratio.p.value(), 3.11887847581464e-06, 1e-16);
  EXPECT_EQ(alone(comparison), Change::kRegression);
}

TEST(Compare, ReadsEquivalenceFromTheIntervalOfItsLevel) {
  const Criteria strict{.alpha = 0.01};
  const Comparison comparison = compare(kBase, kSlower, strict);
  EXPECT_NEAR(comparison.equivalence_interval.value().low, 0.932735931735846, 1e-9);  // conf.level = 0.98
  EXPECT_NEAR(comparison.equivalence_interval.value().high, 0.957941765191073, 1e-9);
  EXPECT_NEAR(comparison.ratio.ci95.value().low, 0.935326955520906, 1e-9);
}

TEST(Compare, FindsTheSameRatesEquivalent) {
  const Comparison comparison = compare(kBase, kSame, kRates);
  EXPECT_NEAR(comparison.equivalence_interval.value().low, 0.991660106478889, 1e-9);
  EXPECT_NEAR(comparison.equivalence_interval.value().high, 1.008834208818474, 1e-9);
  EXPECT_EQ(alone(comparison), Change::kEquivalent);
}

// A change must exceed the margin: about exp(log(1.03) + qnorm(0.8) * 0.00458) - 1.
TEST(Compare, DetectsNothingSmallerThanTheMarginInQuietTrials) {
  const Comparison comparison = compare(kBase, kSame, kRates);
  EXPECT_NEAR(comparison.detectable.value(), 0.03397765037604361, 1e-8);
  EXPECT_EQ(comparison.trials_needed, 3);  // power.t.test: 2.38
}

TEST(Compare, SaysWhatNoisyTrialsWouldShowAndHowManyAreNeeded) {
  const Comparison comparison = compare(Values{1000, 1100, 900}, Values{1040, 930, 1120}, kRates);
  EXPECT_EQ(alone(comparison), Change::kInconclusive);
  EXPECT_NEAR(comparison.ratio.p.value(), 0.724206723315733, 1e-12);
  EXPECT_NEAR(comparison.detectable.value(), 0.34785370947948485, 1e-7);
  EXPECT_EQ(comparison.trials_needed, 171);  // power.t.test: 170.153
}

TEST(Compare, GivesOnlyARatioForASingleTrial) {
  const Comparison comparison = compare(Values{1000}, kSlower, kRates);
  EXPECT_NEAR(comparison.ratio.value, 0.945986244347163, 1e-13);  // exp(mean(log(x))) / 1000
  EXPECT_FALSE(comparison.equivalence_interval);
  EXPECT_FALSE(comparison.detectable);
  EXPECT_FALSE(comparison.trials_needed);
  EXPECT_EQ(alone(comparison), Change::kInconclusive);
}

TEST(Compare, LetsTheRatioDecideWhereThereIsNoVariance) {
  const Values same{100, 100};
  EXPECT_EQ(alone(compare(same, same, kRates)), Change::kEquivalent);
  EXPECT_EQ(alone(compare(same, Values{102, 102}, kRates)), Change::kEquivalent);
  EXPECT_EQ(alone(compare(same, Values{104, 104}, kRates)), Change::kImprovement);
  EXPECT_EQ(alone(compare(same, Values{96, 96}, kRates)), Change::kRegression);
  EXPECT_NEAR(compare(same, same, kRates).detectable.value(), 0.03, 1e-15);
  EXPECT_EQ(compare(same, same, kRates).trials_needed, 2);
}

TEST(Compare, LeavesOutFiguresThatADoubleCannotHold) {
  const Comparison comparison = compare(Values{1e-300, 1e300}, Values{1e-300, 1e300}, kRates);
  EXPECT_FALSE(comparison.equivalence_interval);
  EXPECT_FALSE(comparison.detectable);
  EXPECT_TRUE(comparison.trials_needed);
}

TEST(Compare, NeverHasEnoughTrialsWithoutAMargin) {
  const Criteria none{.margin = 0};
  EXPECT_FALSE(compare(kBase, kSame, none).trials_needed);
  EXPECT_EQ(alone(compare(kBase, kSame, none), none), Change::kInconclusive);
  EXPECT_EQ(alone(compare(kBase, kSlower, none), none), Change::kRegression);
}

TEST(Compare, RefusesCriteriaOutOfRange) {
  for (const double margin : {-0.01, std::nan(""), HUGE_VAL})
    EXPECT_THROW(compare(kBase, kSame, {.margin = margin}), Error) << margin;
  for (const double alpha : {0.0, 0.5, -1.0, std::nan("")}) {
    EXPECT_THROW(compare(kBase, kSame, {.alpha = alpha}), Error) << alpha;
    EXPECT_THROW(compare_pairs(kBase, kSame, {.alpha = alpha}), Error) << alpha;
    EXPECT_THROW(static_cast<void>(change_of(made(1, {}), 0.5, {.alpha = alpha})), Error) << alpha;
  }
}

TEST(Compare, RefusesEmptySetsAndValuesThatAreNotPositive) {
  EXPECT_THROW(compare({}, kSame, kRates), Error);
  EXPECT_THROW(compare(kBase, Values{1, 0}, kRates), Error);
}

TEST(ComparePairs, SeesAChangeThatTheSpreadBetweenPairsWouldHide) {
  const Values base{100, 90, 110, 95, 105};
  const Values changed{95, 85.9, 104.2, 90, 100.1};
  const Comparison pairs = compare_pairs(base, changed, kRates);
  EXPECT_NEAR(pairs.ratio.value, 0.950479151574014, 1e-13);
  EXPECT_NEAR(pairs.ratio.ci95.value().low, 0.946368332353952, 1e-9);
  EXPECT_NEAR(pairs.equivalence_interval.value().high, 0.953647690287845, 1e-9);
  EXPECT_NEAR(pairs.ratio.p.value(), 5.32219201063154e-06, 1e-16);
  EXPECT_NEAR(pairs.detectable.value(), 0.031354181243806685, 1e-8);
  EXPECT_EQ(pairs.trials_needed, 3);  // power.t.test(type = "paired"): 2.14
  EXPECT_EQ(alone(pairs), Change::kRegression);

  const Comparison sets = compare(base, changed, kRates);
  EXPECT_NEAR(sets.detectable.value(), 0.1726052360280223, 1e-7);
  EXPECT_EQ(sets.trials_needed, 113);  // power.t.test: 112.105
  EXPECT_EQ(alone(sets), Change::kInconclusive);
}

TEST(ComparePairs, GivesOnlyARatioForOnePair) {
  const Comparison comparison = compare_pairs(Values{100}, Values{50}, kRates);
  EXPECT_NEAR(comparison.ratio.value, 0.5, 1e-15);
  EXPECT_FALSE(comparison.equivalence_interval);
  EXPECT_FALSE(comparison.detectable);
  EXPECT_FALSE(comparison.trials_needed);
  EXPECT_EQ(alone(comparison), Change::kInconclusive);
}

TEST(ComparePairs, RefusesSetsOfDifferentSize) {
  EXPECT_THROW(compare_pairs(Values{1, 2}, Values{1}, kRates), Error);
}

TEST(ChangeOf, DependsOnWhetherHigherIsBetter) {
  const Comparison up = made(1.1, Interval{1.05, 1.15});
  const Comparison down = made(0.9, Interval{0.85, 0.95});
  EXPECT_EQ(change_of(up, 0.01, kRates), Change::kImprovement);
  EXPECT_EQ(change_of(down, 0.01, kRates), Change::kRegression);
  EXPECT_EQ(change_of(up, 0.01, kTimes), Change::kRegression);
  EXPECT_EQ(change_of(down, 0.01, kTimes), Change::kImprovement);
}

TEST(ChangeOf, UsesTheAdjustedP) {
  Comparison comparison = made(0.9, Interval{0.85, 0.95});
  comparison.ratio.p = 0.01;
  EXPECT_EQ(change_of(comparison, 0.0499, kRates), Change::kRegression);
  EXPECT_EQ(change_of(comparison, 0.05, kRates), Change::kInconclusive) << "below alpha, not at it";
  EXPECT_EQ(change_of(comparison, 0.3, kRates), Change::kInconclusive);
  EXPECT_EQ(change_of(comparison, std::nullopt, kRates), Change::kInconclusive);
}

TEST(ChangeOf, NeedsTheEstimateBeyondTheMarginButNotItsInterval) {
  EXPECT_EQ(change_of(made(0.96, Interval{0.94, 0.98}), 0.01, kRates), Change::kRegression);
}

TEST(ChangeOf, CallsNoTrifleAChangeHoweverSignificant) {
  EXPECT_EQ(change_of(made(0.98, Interval{0.975, 0.985}), 1e-9, kRates), Change::kEquivalent);
  EXPECT_EQ(change_of(made(0.975, Interval{0.96, 0.99}), 1e-3, kRates), Change::kInconclusive);
}

TEST(ChangeOf, DoesNotCallAnInsignificantChangeEqual) {
  EXPECT_EQ(change_of(made(1, Interval{0.95, 1.05}), 0.9, kRates), Change::kInconclusive);
}

TEST(ChangeOf, HasTheSameMarginForTimesAndRates) {
  // The lower bound is 1 / 1.03 = 0.970874, not 0.97.
  EXPECT_EQ(change_of(made(1, Interval{0.9709, 1.0299}), 0.9, kRates), Change::kEquivalent);
  EXPECT_EQ(change_of(made(1, Interval{0.9705, 1.0299}), 0.9, kRates), Change::kInconclusive);
  EXPECT_EQ(change_of(made(1, Interval{0.9709, 1.0301}), 0.9, kRates), Change::kInconclusive);
  EXPECT_EQ(change_of(made(0.9705, Interval{0.96, 0.98}), 0.01, kRates), Change::kRegression);
  EXPECT_EQ(change_of(made(0.9709, Interval{0.96, 0.98}), 0.01, kRates), Change::kInconclusive);

  for (const Values& changed : {kSlower, kSame})
    EXPECT_EQ(alone(compare(reciprocal(kBase), reciprocal(changed), kTimes), kTimes),
              alone(compare(kBase, changed, kRates)));
}

TEST(ChangeOf, HasANameForEveryValue) {
  EXPECT_EQ(name(Change::kRegression), "regression");
  EXPECT_EQ(name(Change::kImprovement), "improvement");
  EXPECT_EQ(name(Change::kEquivalent), "equivalent");
  EXPECT_EQ(name(Change::kInconclusive), "inconclusive");
}

}  // namespace
}  // namespace loadline
