#include "harness/judge/cost.h"

#include <gtest/gtest.h>

#include <vector>

namespace loadline {
namespace {

Trial trial_of(std::uint64_t samples, std::uint64_t bytes, double user_cpu_seconds, double system_cpu_seconds) {
  Trial trial;
  trial.samples = samples;
  trial.bytes = bytes;
  trial.usage.user_cpu_seconds = user_cpu_seconds;
  trial.usage.system_cpu_seconds = system_cpu_seconds;
  return trial;
}

// R 4.2.2: mean, sd and t.test(c(5, 5.2, 4.95))$conf.int.
TEST(Cost, IsPerThousandSamplesWithItsSpreadOverTrials) {
  const std::vector<Trial> trials{trial_of(2000, 6291456, 8, 2), trial_of(1000, 3145728, 5.2, 0),
                                  trial_of(4000, 12582912, 15.8, 4)};
  const auto cost = cost_per_thousand_samples(trials);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->cpu_seconds.count, 3U);
  EXPECT_NEAR(cost->cpu_seconds.mean, 5.05, 1e-13);
  EXPECT_NEAR(cost->cpu_seconds.stddev.value(), 0.13228756555323, 1e-13);
  EXPECT_NEAR(cost->cpu_seconds.ci95.value().low, 4.72137946961358, 1e-9);
  EXPECT_NEAR(cost->cpu_seconds.ci95.value().high, 5.37862053038642, 1e-9);
  EXPECT_EQ(cost->mebibytes.mean, 3);
  EXPECT_EQ(cost->mebibytes.stddev, 0);
}

TEST(Cost, SkipsTrialsThatEndedBeforeTheirFirstSample) {
  const std::vector<Trial> trials{trial_of(0, 0, 3, 1), trial_of(1000, 1048576, 3, 1)};
  const auto cost = cost_per_thousand_samples(trials);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->cpu_seconds.count, 1U);
  EXPECT_EQ(cost->cpu_seconds.mean, 4);
  EXPECT_FALSE(cost->cpu_seconds.ci95);
  EXPECT_EQ(cost->mebibytes.mean, 1);
}

TEST(Cost, IsAbsentWithoutSamples) {
  EXPECT_FALSE(cost_per_thousand_samples({}));
  EXPECT_FALSE(cost_per_thousand_samples(std::vector<Trial>{trial_of(0, 0, 3, 1)}));
}

}  // namespace
}  // namespace loadline
