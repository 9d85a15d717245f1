#include "harness/judge/load_line.h"

#include <gtest/gtest.h>

#include "loaders/error.h"

namespace loadline {
namespace {

using Rates = std::vector<double>;
using LineBounds = std::vector<Rates>;

TEST(LoadLine, IsTheLowestBound) {
  const auto line = load_line(Rates{800, 800}, LineBounds{{3000, 3000}, {1000, 1000}, {2000, 2000}});
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->binding, 1U);
  EXPECT_DOUBLE_EQ(line->samples_per_second, 1000);
  EXPECT_NEAR(line->efficiency.value, 0.8, 1e-12);
}

TEST(LoadLine, ComparesBoundsByTheMeanOfTheirTrials) {
  const auto line = load_line(Rates{500}, LineBounds{{100, 3000}, {1000, 1000}});
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->binding, 1U);
}

TEST(LoadLine, HasAnIntervalFromTheTrialsOfBothSides) {
  // ln 0.9 ± t(4) * sqrt(2 * 0.01^2 / 3), with t(4) = 2.7764 and logarithms 0.01 apart.
  const double step = 1.010050167084168;  // exp(0.01)
  const auto line = load_line(Rates{900 / step, 900, 900 * step}, LineBounds{{1000 / step, 1000, 1000 * step}});
  ASSERT_TRUE(line.has_value());
  EXPECT_NEAR(line->efficiency.value, 0.9, 1e-12);
  ASSERT_TRUE(line->efficiency.ci95.has_value());
  EXPECT_NEAR(line->efficiency.ci95->low, 0.8798269, 1e-6);
  EXPECT_NEAR(line->efficiency.ci95->high, 0.9206356, 1e-6);
}

TEST(LoadLine, HasNoIntervalForOneTrial) {
  EXPECT_FALSE(load_line(Rates{900}, LineBounds{{1000, 1001}})->efficiency.ci95.has_value());
  EXPECT_FALSE(load_line(Rates{900, 901}, LineBounds{{1000}})->efficiency.ci95.has_value());
}

TEST(LoadLine, SkipsBoundsWithoutTrials) {
  EXPECT_EQ(load_line(Rates{900}, LineBounds{{}, {1000}})->binding, 1U);
  EXPECT_FALSE(load_line(Rates{900}, LineBounds{{}, {}}).has_value());
  EXPECT_FALSE(load_line(Rates{900}, LineBounds{}).has_value());
}

TEST(LoadLine, IsAbsentForACellWithoutTrials) {
  EXPECT_FALSE(load_line(Rates{}, LineBounds{{1000}}).has_value());
}

TEST(LoadLine, RefusesRatesOfZero) {
  EXPECT_THROW(static_cast<void>(load_line(Rates{0}, LineBounds{{1000}})), Error);
}

TEST(Beaten, IsABoundThatTheWholeIntervalExceedsByMoreThanTheMargin) {
  const auto line = [](std::optional<Interval> ci95) {
    return LoadLine{.binding = 0, .samples_per_second = 1000, .efficiency = {1.1, ci95}};
  };
  EXPECT_TRUE(beaten(line(Interval{1.03, 1.17})));
  EXPECT_FALSE(beaten(line(Interval{1.01, 1.19}))) << "within the margin";
  EXPECT_FALSE(beaten(line(Interval{0.9, 1.3}))) << "within noise";
  EXPECT_FALSE(beaten(line(std::nullopt))) << "one trial tells nothing of noise";
}

}  // namespace
}  // namespace loadline
