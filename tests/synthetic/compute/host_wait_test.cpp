#include "synthetic/compute/host_wait.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;

TEST(HostWait, SleepsByTheClock) {
  test::FakeClock clock(1h);
  HostWait wait(Busy::kNone, clock, {});
  wait.until(1h + 5ms);
  EXPECT_EQ(clock.sleeps(), 1);
  EXPECT_EQ(clock.now(), 1h + 5ms);
}

TEST(HostWait, PollsTheClockUntilTheTimeHasCome) {
  for (const Busy busy : {Busy::kCpu, Busy::kMemory}) {
    test::FakeClock clock(1h);
    clock.set_tick(1ms);
    HostWait wait(busy, clock, {});
    wait.until(1h + 5ms);
    EXPECT_EQ(clock.sleeps(), 0);
    EXPECT_EQ(clock.now(), 1h + 6ms) << "five looks before it, one at it";
  }
}

TEST(HostWait, StartsOverAtTheEndOfItsMemory) {
  test::FakeClock clock(1h);
  clock.set_tick(1us);
  HostWait wait(Busy::kMemory, clock, {});
  wait.until(1h + 1200us);  // 75 MiB, through a memory of 32 MiB
  EXPECT_EQ(clock.now(), 1h + 1201us);
}

TEST(HostWait, DoesNotWaitForATimeThatHasPassed) {
  for (const Busy busy : {Busy::kNone, Busy::kCpu, Busy::kMemory}) {
    test::FakeClock clock(1h);
    HostWait wait(busy, clock, {});
    wait.until(1h);
    wait.until(30min);
    EXPECT_EQ(clock.sleeps(), 0);
    EXPECT_EQ(clock.now(), 1h);
  }
}

TEST(HostWait, DoesNotWaitOnceStopped) {
  std::stop_source source;
  source.request_stop();
  for (const Busy busy : {Busy::kNone, Busy::kCpu, Busy::kMemory}) {
    test::FakeClock clock(1h);
    HostWait wait(busy, clock, source.get_token());
    wait.until(2h);
    EXPECT_EQ(clock.now(), 1h);
  }
}

TEST(HostWait, EndsWhenStopped) {
  for (const Busy busy : {Busy::kNone, Busy::kCpu, Busy::kMemory}) {
    SteadyClock clock;
    std::stop_source source;
    HostWait wait(busy, clock, source.get_token());
    const std::jthread other([&source] { source.request_stop(); });
    const Time before = clock.now();
    wait.until(before + 17h);
    EXPECT_LT(clock.now() - before, 1h);
  }
}

}  // namespace
}  // namespace loadline
