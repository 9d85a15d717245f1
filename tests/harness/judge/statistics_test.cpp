// Expected values come from numpy and scipy 1.10.1, named at each test; scipy's quantiles of t are good to ten digits.
#include "harness/judge/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "harness/judge/student_t.h"
#include "loaders/error.h"

namespace loadline {
namespace {

using Values = std::vector<double>;

// Sets {v / 1.01, v, 1.01 v} have the mean ln v and the standard deviation l = ln 1.01: three of them together have six
// degrees of freedom and the half width t(6) l, with t(6) = 2.4469118511.
TEST(LogProduct, AddsTheVariancesOfItsFactors) {
  const Values four{4 / 1.01, 4, 4 * 1.01};
  const Values ten{10 / 1.01, 10, 10 * 1.01};
  const Values five{5 / 1.01, 5, 5 * 1.01};
  const std::vector<std::span<const double>> over{four, ten};
  const std::vector<std::span<const double>> under{five};
  const Estimate product = log_product(3, over, under);
  EXPECT_NEAR(product.value, 24, 1e-9);
  ASSERT_TRUE(product.ci95.has_value());
  EXPECT_NEAR(product.ci95->low, 24 * 0.9759464289, 1e-7);
  EXPECT_NEAR(product.ci95->high, 24 * 1.0246464052, 1e-7);
}

TEST(LogProduct, HasNoIntervalWhereASetHasOneValue) {
  const Values four{4, 4.1};
  const Values one{2};
  const std::vector<std::span<const double>> over{four};
  const std::vector<std::span<const double>> under{one};
  EXPECT_FALSE(log_product(1, over, under).ci95.has_value());
  EXPECT_FALSE(log_product(1, under, over).ci95.has_value());
  EXPECT_DOUBLE_EQ(log_product(7, {}, {}).value, 7);
}

TEST(LogProduct, RefusesValuesWithoutALogarithm) {
  const Values none;
  const Values zero{1, 0};
  EXPECT_THROW(log_product(1, std::vector<std::span<const double>>{none}, {}), Error);
  EXPECT_THROW(log_product(1, std::vector<std::span<const double>>{zero}, {}), Error);
}

TEST(Moments, StayAccurateFarFromZeroWhereTheMeanOfSquaresFails) {
  Moments moments;
  for (const double value : {1e9 + 1, 1e9 + 2, 1e9 + 3}) moments.add(value);
  EXPECT_EQ(moments.count(), 3U);
  EXPECT_DOUBLE_EQ(moments.mean(), 1e9 + 2);
  EXPECT_DOUBLE_EQ(moments.stddev().value(), 1);
}

TEST(Moments, HaveNoSpreadBelowTwoValues) {
  Moments moments;
  EXPECT_EQ(moments.stddev(), std::nullopt);
  moments.add(7);
  EXPECT_EQ(moments.mean(), 7);
  EXPECT_EQ(moments.stddev(), std::nullopt);
  EXPECT_EQ(moments.variance(), std::nullopt);
}

TEST(Moments, HaveExactlyNoSpreadForEqualValues) {
  Moments moments;
  for (int i = 0; i < 7; ++i) moments.add(0.1);
  EXPECT_EQ(moments.stddev(), 0);
}

// numpy mean, std(ddof=1), median; scipy.stats.t.interval(0.95, n - 1, mean, scipy.stats.sem(x)).
TEST(Summary, GivesMeanSpreadAndTheTIntervalOfTheMean) {
  const Summary summary = summarize(Values{1851.2, 1849.9, 1862.4, 1840.0, 1855.5});
  EXPECT_EQ(summary.count, 5U);
  EXPECT_NEAR(summary.mean, 1851.8, 1e-10);
  EXPECT_NEAR(summary.stddev.value(), 8.204571896205211, 1e-10);
  EXPECT_EQ(summary.min, 1840.0);
  EXPECT_EQ(summary.median, 1851.2);
  EXPECT_EQ(summary.max, 1862.4);
  EXPECT_NEAR(summary.ci95.value().low, 1841.6126784558076, 1e-9);
  EXPECT_NEAR(summary.ci95.value().high, 1861.9873215441924, 1e-9);
}

TEST(Summary, TakesTheMeanOfTheTwoMiddleValuesAsTheMedian) {
  const Summary summary = summarize(Values{3, 1, 2, 10});
  EXPECT_EQ(summary.median, 2.5);
  EXPECT_NEAR(summary.ci95.value().low, -2.4961413181266874, 1e-10);
  EXPECT_NEAR(summary.ci95.value().high, 10.496141318126687, 1e-9);
}

TEST(Median, IsTheMiddleOfValuesThatMayBeInfinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(median_of(Values{7}), 7);
  EXPECT_EQ(median_of(Values{3, 1, 2}), 2);
  EXPECT_EQ(median_of(Values{kInfinity, 1, 2, 4}), 3);
  EXPECT_EQ(median_of(Values{1, kInfinity}), kInfinity);
}

TEST(Summary, HasNeitherSpreadNorIntervalForOneValue) {
  const Summary summary = summarize(Values{42});
  EXPECT_EQ(summary.mean, 42);
  EXPECT_EQ(summary.median, 42);
  EXPECT_EQ(summary.stddev, std::nullopt);
  EXPECT_FALSE(summary.ci95);
}

TEST(Summary, HasAnIntervalOfNoWidthForEqualValues) {
  const Summary summary = summarize(Values{5, 5, 5});
  EXPECT_EQ(summary.stddev, 0);
  EXPECT_EQ(summary.ci95.value().low, 5);
  EXPECT_EQ(summary.ci95.value().high, 5);
}

TEST(Summary, RefusesEmptySetsAndValuesThatAreNotFinite) {
  EXPECT_THROW(summarize({}), Error);
  EXPECT_THROW(summarize(Values{1, std::nan("")}), Error);
  EXPECT_THROW(summarize(Values{1, std::numeric_limits<double>::infinity()}), Error);
}

TEST(Combine, WeighsDegreesByVariance) {
  // Equal shares of 4 degrees each: (1 + 1)^2 / (1 / 4 + 1 / 4) = 8.
  const std::vector<VarianceTerm> equal{{1, 4}, {1, 4}};
  EXPECT_DOUBLE_EQ(combine(equal).variance, 2);
  EXPECT_DOUBLE_EQ(combine(equal).degrees, 8);
  const std::vector<VarianceTerm> one_exact{{0, 9}, {3, 2}};
  EXPECT_DOUBLE_EQ(combine(one_exact).degrees, 2);
}

TEST(Combine, DoesNotUnderflowOnVariancesOfTimes) {
  const std::vector<VarianceTerm> tiny{{1e-200, 4}, {1e-200, 4}};
  EXPECT_DOUBLE_EQ(combine(tiny).degrees, 8);
}

// scipy.stats.ttest_ind(log(changed), log(base), equal_var=False); interval exp(d ± t.ppf(0.975, df) * sqrt(v)).
TEST(LogWelchRatio, AgreesWithWelchsTestOnLogarithms) {
  const Ratio ratio = log_welch_ratio(Values{1.00, 1.02, 0.99, 1.01, 0.98}, Values{0.90, 0.93, 0.89});
  EXPECT_NEAR(ratio.value, 0.9065990473725862, 1e-13);
  EXPECT_NEAR(ratio.ci95.value().low, 0.8657339436202593, 1e-9);
  EXPECT_NEAR(ratio.ci95.value().high, 0.9493931002171772, 1e-9);
  EXPECT_NEAR(ratio.p.value(), 0.006009867907106495, 1e-13);
}

TEST(LogWelchRatio, IsReciprocalForTimesAndRatesWithTheSameP) {
  const Values before{1.00, 1.02, 0.99, 1.01, 0.98};
  const Values after{0.90, 0.93, 0.89};
  const auto reciprocal = [](Values values) {
    for (double& value : values) value = 1 / value;
    return values;
  };
  const Ratio times = log_welch_ratio(before, after);
  const Ratio rates = log_welch_ratio(reciprocal(before), reciprocal(after));
  EXPECT_NEAR(rates.value, 1 / times.value, 1e-12);
  EXPECT_NEAR(rates.ci95.value().low, 1 / times.ci95.value().high, 1e-12);
  EXPECT_NEAR(rates.ci95.value().high, 1 / times.ci95.value().low, 1e-12);
  EXPECT_NEAR(rates.p.value(), times.p.value(), 1e-12);
}

TEST(LogWelchRatio, TakesAllUncertaintyFromTheSideThatHasAny) {
  const Ratio ratio = log_welch_ratio(Values{1, 1, 1}, Values{2, 2.1, 1.9});
  EXPECT_NEAR(ratio.value, 1.9983319425122115, 1e-12);
  EXPECT_NEAR(ratio.ci95.value().low, 1.7647151650877098, 1e-9);
  EXPECT_NEAR(ratio.ci95.value().high, 2.262875409849017, 1e-9);
  EXPECT_NEAR(ratio.p.value(), 0.0017373856345211558, 1e-13);
}

TEST(LogWelchRatio, IsAPointForValuesWithoutSpread) {
  const Ratio same = log_welch_ratio(Values{2, 2}, Values{2, 2});
  EXPECT_EQ(same.value, 1);
  EXPECT_EQ(same.ci95.value().low, 1);
  EXPECT_EQ(same.ci95.value().high, 1);
  EXPECT_EQ(same.p, 1);
  const Ratio twice = log_welch_ratio(Values{2, 2}, Values{4, 4});
  EXPECT_DOUBLE_EQ(twice.value, 2);
  EXPECT_EQ(twice.p, 0);
}

TEST(LogWelchRatio, HasNoIntervalFromASingleTrial) {
  const Ratio ratio = log_welch_ratio(Values{2}, Values{3, 3.1});
  EXPECT_GT(ratio.value, 1.5);
  EXPECT_FALSE(ratio.ci95);
  EXPECT_FALSE(ratio.p);
}

TEST(LogWelchRatio, HasNoIntervalWhereItWouldBeInfinite) {
  const Ratio ratio = log_welch_ratio(Values{1e-100, 1e100}, Values{1, 2});
  EXPECT_FALSE(ratio.ci95);
  EXPECT_TRUE(ratio.p);
}

TEST(LogWelchRatio, RefusesEmptySetsAndValuesThatAreNotPositive) {
  EXPECT_THROW(log_welch_ratio({}, Values{1}), Error);
  EXPECT_THROW(log_welch_ratio(Values{1}, {}), Error);
  EXPECT_THROW(log_welch_ratio(Values{1, 0}, Values{1}), Error);
  EXPECT_THROW(log_welch_ratio(Values{1}, Values{-1}), Error);
  EXPECT_THROW(log_welch_ratio(Values{1}, Values{std::nan("")}), Error);
}

// R 4.2.2: t.test(log(changed), log(base), paired = TRUE), its estimate, conf.int and p.value.
TEST(LogPaired, AgreesWithTheTTestOfLogRatios) {
  const LogRatio ratio = log_paired(Values{100, 90, 110, 95, 105}, Values{95, 85.9, 104.2, 90, 100.1});
  EXPECT_NEAR(std::exp(ratio.value), 0.950479151574014, 1e-13);
  EXPECT_EQ(ratio.error.value().degrees, 4);
  EXPECT_NEAR(interval_of(ratio, 0.95).value().low, 0.946368332353952, 1e-9);
  EXPECT_NEAR(interval_of(ratio, 0.95).value().high, 0.954607827303094, 1e-9);
  EXPECT_NEAR(interval_of(ratio, 0.90).value().low, 0.947321140477125, 1e-9);
  EXPECT_NEAR(interval_of(ratio, 0.90).value().high, 0.953647690287845, 1e-9);
  EXPECT_NEAR(ratio_of(ratio).p.value(), 5.32219201063154e-06, 1e-16);
}

TEST(LogPaired, SeesWhatTheSpreadBetweenPairsHidesFromWelchsTest) {
  const Values base{100, 90, 110, 95, 105};
  const Values changed{95, 85.9, 104.2, 90, 100.1};
  EXPECT_NEAR(log_welch_ratio(base, changed).p.value(), 0.337122948542724, 1e-12);  // R: t.test(..., paired = FALSE)
  EXPECT_NEAR(log_welch_ratio(base, changed).value, ratio_of(log_paired(base, changed)).value, 1e-13);
}

TEST(LogPaired, GivesOnlyARatioForOnePair) {
  const LogRatio ratio = log_paired(Values{2}, Values{3});
  EXPECT_NEAR(std::exp(ratio.value), 1.5, 1e-15);
  EXPECT_FALSE(ratio.error);
  EXPECT_FALSE(ratio.variance_of_one);
  EXPECT_FALSE(interval_of(ratio, 0.95));
  EXPECT_FALSE(ratio_of(ratio).p);
}

TEST(LogPaired, IsExactlyOneForEqualPairs) {
  const Ratio ratio = ratio_of(log_paired(Values{3, 5, 7}, Values{3, 5, 7}));
  EXPECT_EQ(ratio.value, 1);
  EXPECT_EQ(ratio.p, 1);
}

TEST(LogPaired, RefusesUnequalOrEmptySetsAndValuesThatAreNotPositive) {
  EXPECT_THROW(log_paired(Values{1, 2}, Values{1}), Error);
  EXPECT_THROW(log_paired({}, {}), Error);
  EXPECT_THROW(log_paired(Values{0}, Values{1}), Error);
  EXPECT_THROW(log_paired(Values{1}, Values{std::numeric_limits<double>::infinity()}), Error);
}

// Modified z-scores by numpy, 0.6745 (x - median) / median|x - median|: 17.8 for the 12.0, 1.6 for the 10.2.
TEST(Outliers, FlagsTheTrialThatStandsOut) {
  EXPECT_EQ(outliers(Values{10.0, 10.1, 9.9, 10.05, 9.95, 12.0}), (std::vector<std::size_t>{5}));
  EXPECT_TRUE(outliers(Values{10.0, 10.1, 9.9, 10.05, 9.95, 10.2}).empty());
}

TEST(Outliers, AreFoundAmongValuesThatAreMostlyEqual) {
  EXPECT_EQ(outliers(Values{1, 1, 2, 1, 1}), (std::vector<std::size_t>{2}));  // 3.99 by the mean deviation
  EXPECT_TRUE(outliers(Values{1, 1, 1, 1, 1}).empty());
}

TEST(Outliers, AreNotReportedBelowFiveTrials) {
  EXPECT_TRUE(outliers(Values{1, 1, 1, 1000}).empty());
  EXPECT_TRUE(outliers({}).empty());
}

// R 4.2.2's power.t.test(delta = 1, sd = 1, sig.level = alpha, power = 0.8)$n, rounded up: 16.71, 63.77 at delta = 0.5,
// 25.07. At delta = 30, where R gives 2.04, the minimum of 2 is enough.
TEST(TrialsToDetect, HaveAnExactPowerOfFourInFive) {
  EXPECT_EQ(trials_to_detect(0.03, 0.03), 17);
  EXPECT_EQ(trials_to_detect(0.06, 0.03), 64);
  EXPECT_EQ(trials_to_detect(0.03, 0.03, 0.01), 26);
  EXPECT_EQ(trials_to_detect(0.001, 0.03), 2);
}

// The rule of thumb at the 5 % level: 15.7 (variation / effect)^2 + 1.
TEST(TrialsToDetect, MatchTheRuleOfThumbRoundedUp) {
  EXPECT_EQ(trials_to_detect(0.04, 0.02), 64);
  EXPECT_NEAR(trials_to_detect(3, 0.03), 15.7 * 1e4 + 1, 50);
}

TEST(TrialsToDetect, AreInfiniteOrTheMinimumAtTheExtremes) {
  EXPECT_TRUE(std::isinf(trials_to_detect(0.03, 0)));
  EXPECT_TRUE(std::isinf(trials_to_detect(1e9, 0.03)));
  EXPECT_EQ(trials_to_detect(0, 0.03), 2);
  EXPECT_EQ(pairs_to_detect(0, 0.03), 2);
}

// power.t.test(..., type = "paired")$n: 9.94 and 15.08.
TEST(PairsToDetect, AreHalfTheTrialsPlusSomeForTheSpread) {
  EXPECT_EQ(pairs_to_detect(0.03, 0.03), 10);
  EXPECT_EQ(pairs_to_detect(0.03, 0.03, 0.01), 16);
}

TEST(DetectableDifference, HasAPowerOfFourInFive) {
  const double found = detectable_difference({0.01, 8}, 0.05);
  EXPECT_NEAR(t_power(found / 0.1, 8, 0.05), 0.8, 1e-8);
  const double beyond = detectable_difference({0.01, 8}, 0.05, 0.25);
  EXPECT_NEAR(t_power(beyond / 0.1, 8, 0.05, 2.5), 0.8, 1e-8);
  EXPECT_GT(beyond, found);
}

TEST(DetectableDifference, IsTheThresholdWhereNothingVaries) {
  EXPECT_EQ(detectable_difference({0, 3}, 0.05, 0.25), 0.25);
  EXPECT_EQ(detectable_difference({0, 3}, 0.05), 0);
}

}  // namespace
}  // namespace loadline
