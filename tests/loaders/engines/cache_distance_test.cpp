#include "loaders/engines/cache_distance.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace loadline {
namespace {

TEST(CacheDistance, IsNotFarWhereAllThreadsShareOneCore) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_FALSE(caches_are_far_apart());  // the partner inherits the affinity, and the game ends undecided
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace loadline
