#include "harness/show/trend_text.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace loadline {
namespace {

// A walk in which FULL of mnist has these rates, result by result.
Walk walk_of(const std::vector<double>& rates) {
  WorkloadWalk mnist{.workload = "mnist", .mode = Mode::kFull, .steps = {}};
  for (const double rate : rates) {
    WalkStep step;
    step.full = summarize(std::array{rate});
    mnist.steps.push_back(step);
  }
  Walk walk;
  walk.workloads = {mnist};
  return walk;
}

TEST(TrendText, SaysHowMuchPerResultAndHowSure) {
  EXPECT_EQ(trend_text(walk_of({100, 97.1, 93.9, 91.2, 88.6})),
            "trend of mnist FULL: 3.0 ± 0.1 % slower per result over 5 results (p < 0.001)\n");
}

TEST(TrendText, SaysWhereNoiseExplainsTheTrend) {
  EXPECT_EQ(trend_text(walk_of({100, 90, 108, 95, 101})),
            "trend of mnist FULL: no more than noise explains over 5 results (1 ± 8 % faster per result)\n");
}

TEST(TrendText, NeedsThreeResults) {
  EXPECT_EQ(trend_text(walk_of({100, 90})), "trend of mnist FULL: unknown from 2 results; a trend takes three\n");
}

}  // namespace
}  // namespace loadline
