#include "harness/result/threads.h"

#include <gtest/gtest.h>

#include "loaders/storage/affinity.h"

namespace loadline {
namespace {

TEST(Threads, AreTheCpusOfTheAffinityMaskWhereNoLimitStands) {
  EXPECT_EQ(threads_within(8, std::nullopt), 8U);
}

TEST(Threads, AreHeldByTheCgroupLimitRoundedUp) {
  EXPECT_EQ(threads_within(8, 4.0), 4U);
  EXPECT_EQ(threads_within(8, 2.5), 3U);
  EXPECT_EQ(threads_within(8, 0.1), 1U);
}

TEST(Threads, AreNotRaisedByALimitAboveTheAffinityMask) {
  EXPECT_EQ(threads_within(2, 64.0), 2U);
  EXPECT_EQ(threads_within(2, 1e300), 2U);
}

TEST(Threads, AreAtLeastOne) {
  EXPECT_EQ(threads_within(0, std::nullopt), 1U);
  EXPECT_EQ(threads_within(0, 3.0), 1U);
}

TEST(Threads, InForceHereFitIntoTheAffinityMask) {
  EXPECT_GE(threads_in_force(), 1U);
  EXPECT_LE(threads_in_force(), affinity_cpus().size());
}

}  // namespace
}  // namespace loadline
