#include "synthetic/clock.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/watchdog.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;

TEST(SteadyClock, NeverEndsASleepEarly) {
  SteadyClock clock;
  for (const Time length : {1us, 50us, 1000us}) {
    const Time end = clock.now() + length;
    clock.sleep_until(end, {});
    EXPECT_GE(clock.now(), end);
  }
}

TEST(SteadyClock, NeverStepsBack) {
  const SteadyClock clock;
  Time before = clock.now();
  for (int i = 0; i < 1000; ++i) {
    const Time now = clock.now();
    EXPECT_GE(now, before);
    before = now;
  }
}

TEST(SteadyClock, ReturnsAtOnceFromASleepUntilATimeThatHasPassed) {
  const test::Watchdog watchdog;  // a sleep that does not return aborts the program
  SteadyClock clock;
  const Time begin = clock.now();
  clock.sleep_until(begin - 1h, {});
  clock.sleep_until(Time(0), {});
  EXPECT_LT(clock.now() - begin, test::watchdog_patience());
}

TEST(SteadyClock, ReturnsAtOnceIfAStopWasAlreadyRequested) {
  SteadyClock clock;
  std::stop_source source;
  source.request_stop();
  const Time end = clock.now() + 24h;
  clock.sleep_until(end, source.get_token());
  EXPECT_LT(clock.now(), end);
}

TEST(SteadyClock, IsWokenByAStop) {
  SteadyClock clock;
  std::stop_source source;
  const Time end = clock.now() + 24h;
  const std::jthread other([&source] { source.request_stop(); });
  clock.sleep_until(end, source.get_token());
  EXPECT_LT(clock.now(), end);
}

TEST(SteadyClock, CountsInSeconds) {
  EXPECT_EQ(seconds(1500ms), 1.5);
  EXPECT_EQ(seconds(Time(0)), 0.0);
}

}  // namespace
}  // namespace loadline
