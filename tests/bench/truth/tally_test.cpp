#include "bench/truth/tally.h"

#include <gtest/gtest.h>

namespace loadline::truth {
namespace {

// Values from tables of Clopper and Pearson.
TEST(ExactInterval, HasATailOfOneFortiethOnEachSide) {
  const auto expect = [](Count count, double low, double high) {
    const Interval interval = exact_interval(count);
    EXPECT_NEAR(interval.low, low, 1e-4);
    EXPECT_NEAR(interval.high, high, 1e-4);
  };
  expect({0, 10}, 0, 0.3085);
  expect({5, 10}, 0.1871, 0.8129);
  expect({10, 10}, 0.6915, 1);
  expect({50, 1000}, 0.0373, 0.0654);
}

TEST(OutcomeOf, LeavesOpenWhatTheDrawsCannotDecide) {
  const Target target{.id = "some", .what = "", .low = 0, .high = 0.05};
  EXPECT_EQ(outcome_of(target, {0, 0}), Outcome::kNoDraws);
  EXPECT_EQ(outcome_of(target, {5, 100}), Outcome::kMet);
  EXPECT_EQ(outcome_of(target, {7, 100}), Outcome::kOpen);
  EXPECT_EQ(outcome_of(target, {20, 100}), Outcome::kMissed);
  const Target impossible{.id = "some", .what = "", .low = 0, .high = 0.05, .theory = "as has been shown"};
  EXPECT_EQ(outcome_of(impossible, {20, 100}), Outcome::kImpossible);
}

TEST(Tally, AddsUpTheCountsOfSeveralThreads) {
  Tally first;
  first.count("some", true, {"trials 5"});
  Tally second;
  second.count("some", false, {"trials 5"});
  second.count("some", true, {"trials 3"});
  first.add(second);
  EXPECT_EQ(first.of("some").hits, 2U);
  EXPECT_EQ(first.of("some").draws, 3U);
  EXPECT_EQ(first.parts_of("some").at("trials 5").hits, 1U);
  EXPECT_EQ(first.of("other").draws, 0U);
}

}  // namespace
}  // namespace loadline::truth
