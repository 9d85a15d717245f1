#include "tests/support/watchdog.h"

#include <latch>

namespace loadline::test {
namespace {

TEST(WatchdogDeathTest, NamesTheTestThatWaitsForEver) {
  EXPECT_DEATH(
      {
        const Watchdog watchdog("its latch may stay closed", std::chrono::milliseconds(1));
        std::latch(1).wait();
      },
      "WatchdogDeathTest.NamesTheTestThatWaitsForEver has not ended after 0.001 s: one of its calls waits for ever; "
      "its latch may stay closed");
}

TEST(Watchdog, LetsATestEnd) {
  const Watchdog watchdog;
}

}  // namespace
}  // namespace loadline::test
