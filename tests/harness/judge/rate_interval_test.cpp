#include "harness/judge/rate_interval.h"

#include <gtest/gtest.h>

#include <array>

namespace loadline {
namespace {

TEST(RateInterval, IsTheIntervalOfTheMeanOnALogarithmicScale) {
  const auto interval = rate_interval(summarize(std::array{1900.0, 2000.0, 2100.0}));
  ASSERT_TRUE(interval);
  // 2000 exp(± 4.30265 * 100 / sqrt(3) / 2000)
  EXPECT_NEAR(interval->low, 1766.4, 0.1);
  EXPECT_NEAR(interval->high, 2264.5, 0.1);
}

TEST(RateInterval, NeverCrossesZeroWhereThatOfTheMeanDoes) {
  const Summary wild = summarize(std::array{100.0, 100.0, 10000.0});
  EXPECT_LT(wild.ci95->low, 0);
  const auto interval = rate_interval(wild);
  ASSERT_TRUE(interval);
  EXPECT_GT(interval->low, 0);
  EXPECT_LT(interval->low, wild.mean);
}

TEST(RateInterval, IsAbsentForOneTrialAndBeyondWhatADoubleHolds) {
  EXPECT_FALSE(rate_interval(summarize(std::array{5.0})));
  EXPECT_FALSE(
      rate_interval(Summary{.count = 2, .mean = 1e-3, .min = 0, .median = 0, .max = 0, .ci95 = Interval{-9, 9}}));
  EXPECT_FALSE(rate_interval(Summary{.count = 2, .mean = 0, .min = 0, .median = 0, .max = 0, .ci95 = Interval{-9, 9}}));
}

}  // namespace
}  // namespace loadline
