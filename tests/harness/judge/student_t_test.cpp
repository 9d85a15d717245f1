// Quantiles come from bisection of mpmath 1.2.1's betainc(n/2, 1/2, 0, n/(n+t*t), regularized=True) at 40 digits,
// because scipy 1.10.1's t.ppf is good to ten digits only. Probabilities come from scipy's 2 * t.sf(|t|, degrees).
#include "harness/judge/student_t.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "loaders/error.h"

namespace loadline {
namespace {

TEST(StudentT, GivesTheQuantilesOfThePrintedTables) {
  EXPECT_NEAR(t_quantile(0.95, 1), 12.706204736174705, 1e-11);
  EXPECT_NEAR(t_quantile(0.95, 2), 4.3026527297494639, 1e-12);
  EXPECT_NEAR(t_quantile(0.95, 4), 2.7764451051977944, 1e-12);
  EXPECT_NEAR(t_quantile(0.95, 10), 2.2281388519862747, 1e-12);
  EXPECT_NEAR(t_quantile(0.95, 100), 1.9839715185235523, 1e-12);
  EXPECT_NEAR(t_quantile(0.90, 1), 6.3137515146750431, 1e-12);
}

TEST(StudentT, TakesDegreesThatAreNotWholeNumbers) {
  EXPECT_NEAR(t_quantile(0.95, 2.5), 3.5746548420036832, 1e-12);
  EXPECT_NEAR(t_quantile(0.95, 7.3), 2.3450667365477036, 1e-12);
  EXPECT_NEAR(t_quantile(0.90, 3.7), 2.182493803914602, 1e-12);
  EXPECT_NEAR(t_quantile(0.50, 0.5), 1.5537739740300373, 1e-12);
}

// R 4.2.2: qt(c(0.9, 0.99), 4), qt(0.995, 2).
TEST(StudentT, TakesAnyLevel) {
  EXPECT_NEAR(t_quantile(0.80, 4), 1.5332062740589429, 1e-12);
  EXPECT_NEAR(t_quantile(0.98, 4), 3.7469473879791955, 1e-12);
  EXPECT_NEAR(t_quantile(0.99, 2), 9.9248432009182892, 1e-11);
}

TEST(StudentT, ApproachesTheNormalDistributionForManyDegrees) {
  // z + (z^3 + z) / (4 n), Abramowitz and Stegun 26.7.5, with z = 1.959963984540054.
  EXPECT_NEAR(t_quantile(0.95, 1e6), 1.9599663568141066, 1e-8);
  EXPECT_NEAR(t_quantile(0.95, 1e9), 1.959963986912, 1e-6);
}

TEST(StudentT, GivesTwoSidedProbabilities) {
  EXPECT_NEAR(t_two_sided_p(2, 4), 0.1161165235168155, 1e-14);
  EXPECT_NEAR(t_two_sided_p(1e-3, 3), 0.9992648949694609, 1e-14);
  EXPECT_NEAR(t_two_sided_p(50, 3), 1.761715204127195e-05, 1e-17);
  EXPECT_NEAR(t_two_sided_p(3.3, 12.6), 0.00597027089590145, 1e-15);
  EXPECT_NEAR(t_two_sided_p(1e8, 1.5), 7.541704864032492e-13, 1e-24);
}

TEST(StudentT, IsCertainAtZeroAndImpossibleAtInfinity) {
  EXPECT_EQ(t_two_sided_p(0, 3), 1);
  EXPECT_EQ(t_two_sided_p(std::numeric_limits<double>::infinity(), 3), 0);
}

TEST(StudentT, IgnoresTheSignOfT) {
  EXPECT_EQ(t_two_sided_p(-2, 4), t_two_sided_p(2, 4));
}

// scipy 1.10.1: nct.sf(t.ppf(1 - alpha / 2, degrees), degrees, difference).
TEST(TPower, IsThatOfTheNoncentralDistribution) {
  EXPECT_NEAR(t_power(2.8, 8, 0.05), 0.689831018965098, 1e-9);
  EXPECT_NEAR(t_power(2.8, 8, 0.01), 0.36748428953620815, 1e-9);
  EXPECT_NEAR(t_power(2.8, 1e6, 0.05), 0.7995551494693494, 1e-6);
  EXPECT_NEAR(t_power(2.8, 1e8, 0.05), 0.79955589, 1e-6);
}

// Boost 1.74: the same with few degrees, by its series.
TEST(TPower, IsThatOfTheNoncentralDistributionWithFewDegreesToo) {
  EXPECT_NEAR(t_power(5, 1, 0.05), 0.305160099378699, 1e-8);
  EXPECT_NEAR(t_power(20, 1, 0.05), 0.883394442933035, 1e-8);
  EXPECT_NEAR(t_power(60, 0.5, 0.01), 0.0942083860840865, 1e-8);
  EXPECT_NEAR(t_power(-3, 2, 0.05), 1.07783253030619e-05, 1e-8);
}

TEST(TPower, IsTheOneSidedLevelForNoDifference) {
  EXPECT_NEAR(t_power(0, 5, 0.05), 0.025, 1e-9);
  EXPECT_NEAR(t_power(0, 1, 0.01), 0.005, 1e-9);
}

// The mean of pnorm(difference - max(threshold, t * error)) over the error, whose square times the degrees is
// chi-squared distributed: scipy 1.10.1's quad(), split at the bend.
TEST(TPower, FallsWhereAThresholdMustAlsoBeExceeded) {
  EXPECT_NEAR(t_power(3, 4, 0.05, 2), 0.5974323468801135, 1e-7);
  EXPECT_NEAR(t_power(4, 1.3, 0.05, 3), 0.3137943872722778, 1e-6);
  EXPECT_NEAR(t_power(5, 2.5, 0.1, 0.5), 0.9597812656116997, 1e-7);
  EXPECT_NEAR(t_power(10, 4, 0.05, 10), 0.5, 1e-3) << "far out the threshold decides alone";
}

TEST(TPower, RefusesArgumentsOutOfRange) {
  EXPECT_THROW(t_power(std::nan(""), 4, 0.05), Error);
  EXPECT_THROW(t_power(1, 4, 0.05, -1), Error);
  EXPECT_THROW(t_power(1, 0, 0.05), Error);
}

TEST(StudentT, RefusesDegreesAndProbabilitiesOutOfRange) {
  EXPECT_THROW(t_quantile(0.95, 0), Error);
  EXPECT_THROW(t_quantile(0.95, -1), Error);
  EXPECT_THROW(t_quantile(0.95, std::nan("")), Error);
  EXPECT_THROW(t_quantile(0, 3), Error);
  EXPECT_THROW(t_quantile(1, 3), Error);
  EXPECT_THROW(t_two_sided_p(std::nan(""), 3), Error);
}

TEST(TPower, IsCertainForAHugeDifference) {
  EXPECT_NEAR(t_power(75.874192580396581, 3, 0.05), 1, 1e-9);
  EXPECT_NEAR(t_power(60.957038496785657, 3.91, 0.05), 1, 1e-9);
  EXPECT_NEAR(t_power(1e15, 4, 0.05), 1, 1e-9);
  EXPECT_NEAR(t_power(1e200, 4, 0.05), 1, 1e-9);
  EXPECT_NEAR(t_power(1001, 4, 0.05), 1, 1e-9);
}

TEST(TDifference, IsWhatIsDetectedWithThatPower) {
  EXPECT_NEAR(t_difference(0.689831018965098, 8, 0.05), 2.8, 1e-8);
  EXPECT_NEAR(t_difference(0.883394442933035, 1, 0.05), 20, 1e-6);
  EXPECT_NEAR(t_difference(0.5974323468801135, 4, 0.05, 2), 3, 1e-6);
}

TEST(TDifference, RefusesAPowerThatNoDifferenceHas) {
  EXPECT_THROW(t_difference(0.01, 8, 0.05), Error) << "without a difference it is 0.025";
  EXPECT_THROW(t_difference(1, 8, 0.05), Error);
}

}  // namespace
}  // namespace loadline
