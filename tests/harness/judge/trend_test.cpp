#include "harness/judge/trend.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

TEST(Trend, IsTheFactorFromResultToResult) {
  const auto trend = trend_of(std::vector<double>{100, 110, 121, 133.1});
  ASSERT_TRUE(trend);
  EXPECT_EQ(trend->count, 4U);
  EXPECT_NEAR(trend->per_step.value, 1.1, 1e-12);
}

// Logs 0, 1, 1, 2 of e: slope 0.6, residuals -0.1, 0.3, -0.3, 0.1, so s^2 = 0.1 and the slope's error sqrt(0.1 / 5).
TEST(Trend, HasTheIntervalOfTheSlope) {
  const double e = 2.718281828459045;
  const auto trend = trend_of(std::vector<double>{1, e, e, e * e});
  ASSERT_TRUE(trend && trend->per_step.ci95);
  EXPECT_NEAR(trend->per_step.value, 1.8221188, 1e-6);
  // t of two degrees at 97.5 % is 4.302653: exp(0.6 -+ 4.302653 * 0.1414214).
  EXPECT_NEAR(trend->per_step.ci95->low, 0.9915489, 1e-6);
  EXPECT_NEAR(trend->per_step.ci95->high, 3.3484146, 1e-6);
  EXPECT_NEAR(*trend->per_step.p, 0.0513167, 1e-6);
}

TEST(Trend, IsAbsentForFewerThanThree) {
  EXPECT_FALSE(trend_of(std::vector<double>{}));
  EXPECT_FALSE(trend_of(std::vector<double>{100, 90}));
}

TEST(Trend, RefusesRatesOfZero) {
  EXPECT_EQ(test::thrown_by([] { trend_of(std::vector<double>{1, 0, 1}); }), test::failed("trend: want rates above 0"));
}

}  // namespace
}  // namespace loadline
