#include "harness/machine/threads.h"

#include <gtest/gtest.h>

#include "loaders/system/affinity.h"

namespace loadline {
namespace {

TEST(Threads, AreTheCpusOfTheAffinityMaskIfThereIsNoLimit) {
  EXPECT_EQ(threads_within(8, std::nullopt, std::nullopt), 8U);
}

TEST(Threads, AreLimitedByTheCgroupQuotaRoundedUp) {
  EXPECT_EQ(threads_within(8, 4.0, std::nullopt), 4U);
  EXPECT_EQ(threads_within(8, 2.5, std::nullopt), 3U);
  EXPECT_EQ(threads_within(8, 0.1, std::nullopt), 1U);
}

TEST(Threads, AreNotRaisedByALimitAboveTheAffinityMask) {
  EXPECT_EQ(threads_within(2, 64.0, std::nullopt), 2U);
  EXPECT_EQ(threads_within(2, 1e300, std::nullopt), 2U);
}

TEST(Threads, AreLimitedByTheCpusOfABatchJob) {
  EXPECT_EQ(threads_within(64, std::nullopt, 8), 8U);
  EXPECT_EQ(threads_within(64, 4.0, 8), 4U);
  EXPECT_EQ(threads_within(4, std::nullopt, 8), 4U);
}

TEST(Threads, AreAtLeastOne) {
  EXPECT_EQ(threads_within(0, std::nullopt, std::nullopt), 1U);
  EXPECT_EQ(threads_within(0, 3.0, std::nullopt), 1U);
  EXPECT_EQ(threads_within(8, std::nullopt, 0), 1U);
}

TEST(Threads, InForceHereFitIntoTheAffinityMask) {
  EXPECT_GE(threads_in_force(), 1U);
  EXPECT_LE(threads_in_force(), affinity_cpus().size());
}

}  // namespace
}  // namespace loadline
