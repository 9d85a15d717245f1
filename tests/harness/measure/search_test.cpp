#include "harness/measure/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace loadline {
namespace {

using Values = std::vector<double>;

// A probe whose answers are known, and that keeps what it was asked.
struct FakeProbe {
  std::function<bool(double)> enough;
  std::size_t stop_after = 100;
  Values asked = {};

  Attempt attempt() {
    return [this](double value) -> std::optional<bool> {
      if (asked.size() == stop_after) return std::nullopt;
      asked.push_back(value);
      return enough(value);
    };
  }
};

FakeProbe up_to(double limit) {
  return {.enough = [limit](double value) { return value <= limit; }};
}

FakeProbe from(double limit) {
  return {.enough = [limit](double value) { return value >= limit; }};
}

TEST(LargestEnough, BracketsFromItsStartAndHalvesTheRatio) {
  FakeProbe probe = up_to(110);
  const auto found = largest_enough(100, probe.attempt());
  // 100 yes, 125 no; sqrt(100 x 125) = 111.8 no, 105.7 yes, 108.7 yes, 110.2 no: 110.2 / 108.7 is within 2 %.
  ASSERT_EQ(probe.asked.size(), 6U);
  EXPECT_DOUBLE_EQ(probe.asked[1], 125);
  EXPECT_NEAR(probe.asked[2], 111.8, 0.05);
  EXPECT_NEAR(probe.asked[3], 105.7, 0.05);
  EXPECT_NEAR(probe.asked[4], 108.7, 0.05);
  EXPECT_NEAR(probe.asked[5], 110.25, 0.05);
  EXPECT_EQ(found, probe.asked[4]);
}

TEST(LargestEnough, GoesDownWhereItsStartIsTooMuch) {
  FakeProbe probe = up_to(60);
  const auto found = largest_enough(100, probe.attempt());
  EXPECT_DOUBLE_EQ(probe.asked[1], 80);
  EXPECT_DOUBLE_EQ(probe.asked[2], 51.2);
  ASSERT_TRUE(found.has_value());
  EXPECT_LE(*found, 60);
  EXPECT_GT(*found, 60 / 1.02);
}

TEST(LargestEnough, IsWithinItsToleranceInAtMostTwelveAttempts) {
  for (const double limit : {3.0, 50.0, 99.0, 100.0, 101.0, 300.0, 2500.0}) {
    FakeProbe probe = up_to(limit);
    const auto found = largest_enough(100, probe.attempt());
    ASSERT_TRUE(found.has_value()) << limit;
    EXPECT_LE(*found, limit);
    EXPECT_GT(*found, limit / 1.02);
    EXPECT_LE(probe.asked.size(), kMostAttempts) << limit;
  }
}

TEST(LargestEnough, IsNoneWhereNothingIsEnough) {
  FakeProbe probe{.enough = [](double) { return false; }};
  EXPECT_EQ(largest_enough(100, probe.attempt()), std::nullopt);
  EXPECT_EQ(probe.asked.size(), kMostAttempts);
}

TEST(LargestEnough, EndsWhereEverythingIsEnough) {
  FakeProbe probe{.enough = [](double) { return true; }};
  const auto found = largest_enough(100, probe.attempt());
  EXPECT_EQ(found, probe.asked.back());
  EXPECT_EQ(probe.asked.size(), kMostAttempts);
  EXPECT_TRUE(std::isfinite(probe.asked.back()));
}

TEST(LargestWholeEnough, DoublesAndThenHalves) {
  FakeProbe probe = up_to(11);
  EXPECT_EQ(largest_whole_enough(4096, probe.attempt()), 11);
  EXPECT_EQ(probe.asked, (Values{1, 2, 4, 8, 16, 12, 10, 11}));
}

TEST(LargestWholeEnough, StopsAtTheMostThereCanBe) {
  FakeProbe probe = up_to(100);
  EXPECT_EQ(largest_whole_enough(6, probe.attempt()), 6);
  EXPECT_EQ(probe.asked, (Values{1, 2, 4, 6}));
}

TEST(LargestWholeEnough, IsNoneWhereOneIsTooMuch) {
  FakeProbe probe = up_to(0);
  EXPECT_EQ(largest_whole_enough(6, probe.attempt()), std::nullopt);
  EXPECT_EQ(probe.asked, Values{1});
}

TEST(SmallestWholeEnough, TriesTheMostFirstAndThenHalves) {
  FakeProbe probe = from(5);
  EXPECT_EQ(smallest_whole_enough(16, probe.attempt()), 5);
  EXPECT_EQ(probe.asked, (Values{16, 8, 4, 6, 5}));
}

TEST(SmallestWholeEnough, FindsBothEnds) {
  FakeProbe all = from(1);
  EXPECT_EQ(smallest_whole_enough(4, all.attempt()), 1);
  FakeProbe last = from(4);
  EXPECT_EQ(smallest_whole_enough(4, last.attempt()), 4);
  FakeProbe one = from(1);
  EXPECT_EQ(smallest_whole_enough(1, one.attempt()), 1);
  EXPECT_EQ(one.asked, Values{1});
}

TEST(SmallestWholeEnough, IsNoneWhereTheMostIsNotEnough) {
  FakeProbe probe = from(5);
  EXPECT_EQ(smallest_whole_enough(4, probe.attempt()), std::nullopt);
  EXPECT_EQ(probe.asked, Values{4});
}

TEST(Search, EndsWithoutAnAnswerWhenStopped) {
  for (std::size_t attempts = 0; attempts < 4; ++attempts) {
    FakeProbe rate = up_to(110);
    FakeProbe largest = up_to(11);
    FakeProbe smallest = from(5);
    rate.stop_after = largest.stop_after = smallest.stop_after = attempts;
    EXPECT_EQ(largest_enough(100, rate.attempt()), std::nullopt);
    EXPECT_EQ(largest_whole_enough(4096, largest.attempt()), std::nullopt);
    EXPECT_EQ(smallest_whole_enough(16, smallest.attempt()), std::nullopt);
  }
}

}  // namespace
}  // namespace loadline
