// Fits of the Universal Scalability Law are from R 4.2.2, where `one` and `w` have as many elements as N:
//   nls(one ~ X / (l * N / (1 + s * (N - 1) + k * N * (N - 1))), algorithm = "port", lower = c(1e-9, 0, 0), weights =
//   w)
// Capped linear fits are from optim() (Nelder-Mead) on the sum of (X / pmin(a * N, cap) - 1)^2, best of 308 starts.
#include "harness/judge/scaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "loaders/error.h"

namespace loadline {
namespace {

using Points = std::vector<ScalingPoint>;

const std::vector<std::size_t> kDoubling{1, 2, 4, 8, 16, 32};

Points points_of(const std::vector<std::size_t>& workers, const std::vector<double>& rates) {
  Points points;
  for (std::size_t i = 0; i < rates.size(); ++i) points.push_back({workers[i], rates[i]});
  return points;
}

const Points kNoisy = points_of(kDoubling, {1013, 1869, 3511, 5790, 8010, 7904});

// Tolerances of parameters are relative: the three are orders of magnitude apart.
void expect_fit(const std::optional<ScalabilityFit>& fit, double lambda, double sigma, double kappa, double residual) {
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->lambda, lambda, 1e-6 * lambda);
  EXPECT_NEAR(fit->sigma, sigma, 1e-6 * sigma);
  EXPECT_NEAR(fit->kappa, kappa, 1e-6 * kappa);
  EXPECT_NEAR(fit->residual, residual, 1e-9);
}

// lambda = 1000, sigma = 0.05, kappa = 0.001.
TEST(FitScalability, FindsTheLawThatMadeThePoints) {
  const auto fit = fit_scalability(points_of(
      kDoubling, {1000, 1901.14068441065, 3442.34079173838, 5689.90042674253, 8040.20100502513, 9034.44381705251}));
  expect_fit(fit, 1000, 0.05, 0.001, 0);
  EXPECT_EQ(fit->peak_workers(), 31);  // 30 x 31 = 930 < 0.95 / 0.001 <= 31 x 32 = 992
  EXPECT_NEAR(fit->samples_per_second(8), 5689.90042674253, 1e-6);
}

TEST(FitScalability, AgreesWithRThroughNoise) {
  const auto fit = fit_scalability(kNoisy);
  expect_fit(fit, 994.128060245, 0.0371801999991, 0.00187094998141, 0.012852142489);
  EXPECT_EQ(fit->peak_workers(), 23);  // 22 x 23 = 506 < 514.6
}

TEST(FitScalability, WeighsItsPoints) {
  Points points = kNoisy;
  const std::vector<double> weights{3, 3, 3, 5, 5, 1};
  for (std::size_t i = 0; i < points.size(); ++i) points[i].weight = weights[i];
  expect_fit(fit_scalability(points), 994.161913155, 0.0377950382472, 0.00181013018633, 0.0124342069972);
}

TEST(FitScalability, TreatsAWeightAsThatManyEqualPoints) {
  Points weighted = kNoisy;
  weighted[2].weight = 2;
  Points repeated = kNoisy;
  repeated.push_back(kNoisy[2]);
  EXPECT_NEAR(fit_scalability(weighted)->sigma, fit_scalability(repeated)->sigma, 1e-12);
  EXPECT_NEAR(fit_scalability(weighted)->residual, fit_scalability(repeated)->residual, 1e-12);
}

TEST(FitScalability, DoesNotDependOnTheOrderOfThePoints) {
  const Points backwards(kNoisy.rbegin(), kNoisy.rend());
  expect_fit(fit_scalability(backwards), 994.128060245, 0.0371801999991, 0.00187094998141, 0.012852142489);
}

TEST(FitScalability, HasNoPeakWhereCoherencyWouldBeNegative) {
  const auto fit = fit_scalability(points_of(kDoubling, {1000, 1890, 3400, 5720, 8700, 12100}));
  expect_fit(fit, 991.4105856225408, 0.0534241011561, 0, 0.0092838114025);
  EXPECT_EQ(fit->kappa, 0);
  EXPECT_FALSE(fit->peak_workers());
}

TEST(FitScalability, HasNoContentionWhereItWouldBeNegative) {
  const auto fit = fit_scalability(points_of(kDoubling, {1000, 2010, 3990, 7700, 13100, 15000}));
  expect_fit(fit, 1014.99879677, 0, 0.00114633399169, 0.015051610334);
  EXPECT_EQ(fit->sigma, 0);
}

TEST(FitScalability, IsAStraightLineWhereRatesRiseFasterThanLinearly) {
  expect_fit(fit_scalability(points_of(kDoubling, {1000, 2050, 4200, 8600})), 1038.25301203, 0, 0, 0.0269308066958);
}

TEST(FitScalability, FitsAStraightLineExactly) {
  const auto fit = fit_scalability(points_of({1, 2, 3, 4, 5, 6, 7}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->lambda, 0.1, 1e-15);
  EXPECT_EQ(fit->sigma, 0);
  EXPECT_EQ(fit->kappa, 0);
  EXPECT_FALSE(fit->peak_workers());
}

TEST(FitScalability, IsAllContentionForAFlatCurve) {
  const auto fit = fit_scalability(points_of(kDoubling, {500, 500, 500, 500, 500, 500}));
  expect_fit(fit, 500, 1, 0, 0);
  EXPECT_EQ(fit->kappa, 0);
}

TEST(FitScalability, PeaksAtOneWorkerForAFallingCurve) {
  const auto gentle = fit_scalability(points_of(kDoubling, {1000, 800, 500, 300}));
  expect_fit(gentle, 1003.64765434841, 0.823059831485, 0.362977759757, 0.0162790697674);
  EXPECT_EQ(gentle->peak_workers(), 1);
  expect_fit(fit_scalability(points_of(kDoubling, {1000, 400, 180, 85})), 999.881740106505, 0.898238273714,
             1.547998278838, 0.00144136143178);
}

// The peak used to be sqrt((1 - sigma) / kappa) = 3.97, rounded down.
TEST(FitScalability, PeaksAtTheCountWhereTheLawIsHighest) {
  const ScalabilityFit fit{.lambda = 678.5, .sigma = 0, .kappa = 0.06334, .residual = 0};
  EXPECT_NEAR(fit.samples_per_second(3), 1475, 0.5);
  EXPECT_NEAR(fit.samples_per_second(4), 1542, 0.5);
  EXPECT_NEAR(fit.samples_per_second(5), 1497, 0.5);
  EXPECT_EQ(fit.peak_workers(), 4);
  EXPECT_EQ((ScalabilityFit{.lambda = 1, .sigma = 0, .kappa = 0.5, .residual = 0}.peak_workers()), 1) << "2 gain none";
}

TEST(FitScalability, PassesThroughThreePoints) {
  expect_fit(fit_scalability(points_of({1, 2, 4}, {1000, 1600, 2000})), 1000, 1.0 / 6, 1.0 / 24, 0);
}

TEST(FitScalability, IsAbsentWithoutAFiniteLambda) {
  EXPECT_FALSE(fit_scalability(points_of({2, 3, 4}, {300, 150, 130})));
}

TEST(FitScalability, ScalesWithTheUnitOfItsRates) {
  Points points = kNoisy;
  for (ScalingPoint& point : points) point.samples_per_second *= 1e300;
  expect_fit(fit_scalability(points), 994.128060245e300, 0.0371801999991, 0.00187094998141, 0.012852142489);
}

TEST(Fits, StayFiniteHoweverFarApartTheRatesAre) {
  const Points points = points_of(kDoubling, {1e300, 1e-300, 1, 1e200});
  const auto law = fit_scalability(points);
  ASSERT_TRUE(law);
  EXPECT_TRUE(std::isfinite(law->lambda + law->sigma + law->kappa + law->residual));
  const auto capped = fit_capped_linear(points);
  EXPECT_TRUE(std::isfinite(capped.value().per_worker + capped->cap.value_or(0) + capped->residual));
}

TEST(FitScalability, KeepsItsPrecisionOverThousandsOfWorkers) {
  const ScalabilityFit law{.lambda = 5e6, .sigma = 1e-3, .kappa = 1e-6, .residual = 0};
  Points points;
  for (std::size_t workers = 1; workers <= 4096; workers *= 2)
    points.push_back({workers, law.samples_per_second(static_cast<double>(workers))});
  expect_fit(fit_scalability(points), 5e6, 1e-3, 1e-6, 0);
}

TEST(FitCappedLinear, FindsTheLineAndTheCapThatMadeThePoints) {
  const auto fit = fit_capped_linear(points_of(kDoubling, {1000, 2000, 4000, 5000, 5000, 5000}));
  ASSERT_TRUE(fit);
  EXPECT_DOUBLE_EQ(fit->per_worker, 1000);
  EXPECT_DOUBLE_EQ(fit->cap.value(), 5000);
  EXPECT_NEAR(fit->residual, 0, 1e-15);
  EXPECT_DOUBLE_EQ(fit->samples_per_second(3), 3000);
  EXPECT_DOUBLE_EQ(fit->samples_per_second(6), 5000);
}

TEST(FitCappedLinear, AgreesWithASearchThroughNoise) {
  const auto fit = fit_capped_linear(points_of(kDoubling, {1013, 1969, 4111, 5290, 5010, 5104}));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->per_worker, 1008.736241, 1e-3);
  EXPECT_NEAR(fit->cap.value(), 5137.303040, 1e-3);
  EXPECT_NEAR(fit->residual, 0.02037140709, 1e-9);
}

TEST(FitCappedLinear, AgreesWithASearchOnACurveThatBendsSlowly) {
  const auto fit = fit_capped_linear(kNoisy);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->per_worker, 899.8924697, 1e-3);
  EXPECT_NEAR(fit->cap.value(), 7957.3530272, 1e-2);
  EXPECT_NEAR(fit->residual, 0.09685401129, 1e-9);
  EXPECT_GT(fit->residual, fit_scalability(kNoisy)->residual);
}

TEST(FitCappedLinear, TakesPointsInAnyOrderAndSeveralPerCount) {
  Points points = points_of({5, 2, 1, 4, 3}, {299, 200, 100, 297, 306});
  const auto fit = fit_capped_linear(points);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->per_worker, 100.1433644, 1e-4);
  EXPECT_NEAR(fit->cap.value(), 300.4300932, 1e-4);
  EXPECT_NEAR(fit->residual, 0.01000835116, 1e-9);
  for (const ScalingPoint& point : Points(points)) points.push_back(point);
  EXPECT_NEAR(fit_capped_linear(points)->cap.value(), 300.4300932, 1e-4);
}

TEST(FitCappedLinear, MayBendAtACount) {
  const auto fit = fit_capped_linear(points_of({1, 2, 3, 4}, {90, 200, 310, 290}));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->per_worker, 97.74928768, 1e-4);
  EXPECT_NEAR(fit->cap.value(), 293.24786304, 1e-4);
  EXPECT_NEAR(fit->residual, 0.05050026621, 1e-9);
}

TEST(FitCappedLinear, HasNoCapForAStraightLine) {
  const auto fit = fit_capped_linear(points_of({1, 2, 3, 4, 5, 6, 7}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->per_worker, 0.1, 1e-15);
  EXPECT_FALSE(fit->cap);
  EXPECT_NEAR(fit->samples_per_second(7), 0.7, 1e-15);
}

TEST(FitCappedLinear, IsAllCapForAFlatCurve) {
  const auto fit = fit_capped_linear(points_of({2, 4, 8}, {500, 500, 500}));
  ASSERT_TRUE(fit);
  EXPECT_DOUBLE_EQ(fit->cap.value(), 500);
  EXPECT_DOUBLE_EQ(fit->per_worker, 250);
  EXPECT_NEAR(fit->residual, 0, 1e-15);
}

// The cap closest to all points is sum(X^2) / sum(X) = 1980000 / 2600; the residual is the RMS of X / cap - 1.
TEST(FitCappedLinear, IsAllCapForAFallingCurve) {
  const auto fit = fit_capped_linear(points_of(kDoubling, {1000, 800, 500, 300}));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->cap.value(), 761.53846154, 1e-6);
  EXPECT_NEAR(fit->per_worker, 761.53846154, 1e-6);
  EXPECT_NEAR(fit->residual, 0.38270699819, 1e-9);
}

TEST(Fits, NeedThreeDifferentCounts) {
  const Points two = points_of({1, 2, 2, 1}, {100, 190, 191, 101});
  EXPECT_FALSE(fit_scalability(two));
  EXPECT_FALSE(fit_capped_linear(two));
  EXPECT_FALSE(fit_scalability({}));
  EXPECT_FALSE(fit_capped_linear({}));
}

TEST(Fits, RefusePointsThatAreNoMeasurements) {
  for (const ScalingPoint& point :
       {ScalingPoint{0, 100}, ScalingPoint{1, 0}, ScalingPoint{1, -1}, ScalingPoint{1, std::nan("")},
        ScalingPoint{1, HUGE_VAL}, ScalingPoint{1, 100, 0}, ScalingPoint{1, 100, HUGE_VAL}}) {
    EXPECT_THROW(fit_scalability(Points{point}), Error);
    EXPECT_THROW(fit_capped_linear(Points{point}), Error);
  }
}

}  // namespace
}  // namespace loadline
