#include "harness/measure/delays.h"

#include <gtest/gtest.h>

#include "tests/harness/machine/fake_system.h"

namespace loadline {
namespace {

constexpr const char* kStat =
    "4711 (load) line) S 1 4711 4711 0 -1 4194560 200 0 3 0 5 6 0 0 20 0 4 0 99 1000 300 18446744073709551615 1 1 0 0 "
    "0 0 0 4096 0 0 0 0 17 1 0 0 25 0 0\n";

TEST(Delays, ReadsHowLongAThreadWasRunnableWithoutACpu) {
  EXPECT_EQ(parse_run_delay_seconds("120000000 2500000000 42\n"), 2.5);
  EXPECT_EQ(parse_run_delay_seconds("0 0 0\n"), 0.0);
  EXPECT_EQ(parse_run_delay_seconds("120000000"), std::nullopt);
  EXPECT_EQ(parse_run_delay_seconds(""), std::nullopt);
}

TEST(Delays, ReadsHowLongAThreadWasBlockedOnStorageWhateverItsName) {
  EXPECT_EQ(parse_blocked_io_seconds(kStat, 100), 0.25);
  EXPECT_EQ(parse_blocked_io_seconds("4711 (loadline) S 1 4711\n", 100), std::nullopt);
  EXPECT_EQ(parse_blocked_io_seconds("", 100), std::nullopt);
}

TEST(Delays, SumsTimesOverTheCpusInForce) {
  constexpr const char* kText =
      "cpu  10 0 0 60 40 0 0 600 0 0\ncpu0 1 0 0 10 15 0 0 100 0 0\ncpu1 1 0 0 20 10 0 0 200 0 0\ncpu2 1 0 0 30 20 0 0 "
      "300 "
      "0 0\n"
      "intr 1 2 3\n";
  EXPECT_EQ(parse_cpu_times(kText, {0, 2}, 100).steal_seconds, 4.0);
  EXPECT_EQ(parse_cpu_times(kText, {0, 2}, 100).idle_seconds, 0.75);
  EXPECT_EQ(parse_cpu_times(kText, {}, 100).steal_seconds, 6.0);
  EXPECT_EQ(parse_cpu_times(kText, {}, 100).idle_seconds, 1.0);
  EXPECT_EQ(parse_cpu_times(kText, {0, 3}, 100).steal_seconds, std::nullopt);
  EXPECT_EQ(parse_cpu_times(kText, {0, 3}, 100).idle_seconds, std::nullopt);
  EXPECT_EQ(parse_cpu_times("cpu  10 0 0\n", {}, 100).steal_seconds, std::nullopt);
  EXPECT_EQ(parse_cpu_times("cpu  10 0 0\n", {}, 100).idle_seconds, std::nullopt);
}

TEST(Delays, ReadsHowLongACgroupWasThrottledInBothVersions) {
  EXPECT_EQ(parse_throttled_seconds("usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 1500000\n"), 1.5);
  EXPECT_EQ(parse_throttled_seconds("nr_periods 9\nnr_throttled 3\nthrottled_time 2500000000\n"), 2.5);
  EXPECT_EQ(parse_throttled_seconds("usage_usec 5\n"), std::nullopt);
}

// A process of two threads in a group within a group. Both threads and both groups have waited.
FakeSystem& busy_system(FakeSystem& system) {
  return system.write("/proc/self/task/11/schedstat", "5 1000000000 1\n")
      .write("/proc/self/task/11/stat", kStat)
      .write("/proc/self/task/12/schedstat", "5 2000000000 1\n")
      .write("/proc/self/task/12/stat", kStat)
      .write("/proc/sys/kernel/task_delayacct", "1\n")
      .write("/proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\n")
      .write("/proc/self/cgroup", "0::/batch/job7\n")
      .write("/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n")
      .write("/sys/fs/cgroup/cpu.stat", "usage_usec 5\n")
      .write("/sys/fs/cgroup/batch/cpu.stat", "throttled_usec 1000000\n")
      .write("/sys/fs/cgroup/batch/job7/cpu.stat", "throttled_usec 2000000\n");
}

TEST(Delays, ReadsThreadsCpusAndEveryGroupAroundTheProcess) {
  FakeSystem system;
  const Delays delays = DelayMeter({0, 1}, busy_system(system).files()).now();
  ASSERT_TRUE(delays.threads.has_value());
  EXPECT_EQ(delays.threads->size(), 2U);
  EXPECT_EQ(delays.threads->at(12).run_delay_seconds, 2.0);
  EXPECT_GT(delays.threads->at(12).blocked_io_seconds, 0.0);
  EXPECT_EQ(delays.steal_seconds, 0.0);
  EXPECT_EQ(delays.throttled_seconds, 3.0);
}

TEST(Delays, DoesNotReportUncountedBlockedTimeAsZero) {
  FakeSystem system;
  busy_system(system).write("/proc/sys/kernel/task_delayacct", "0\n");
  EXPECT_EQ(DelayMeter({}, system.files()).now().threads->at(11).blocked_io_seconds, std::nullopt);
}

TEST(Delays, KnowsNothingIfTheSystemReportsNothing) {
  const FakeSystem system;
  const Delays delays = DelayMeter({}, system.files()).now();
  EXPECT_FALSE(delays.threads.has_value());
  EXPECT_EQ(delays.steal_seconds, std::nullopt);
  EXPECT_EQ(delays.throttled_seconds, std::nullopt);
  const DelaysBetween none = difference(delays, delays);
  EXPECT_EQ(none.run_delay_seconds, std::nullopt);
  EXPECT_EQ(none.blocked_io_seconds, std::nullopt);
}

TEST(Delays, CountsNewThreadsFullyAndEndedOnesNotAtAll) {
  Delays before;
  before.threads = {{1, {.run_delay_seconds = 1}}, {2, {.run_delay_seconds = 50}}};
  Delays after;
  after.threads = {{1, {.run_delay_seconds = 1.5}}, {3, {.run_delay_seconds = 0.25}}};
  EXPECT_EQ(difference(after, before).run_delay_seconds, 0.75);
}

TEST(Delays, TreatsAnIdWhoseCountersWentBackAsAnotherThread) {
  Delays before;
  before.threads = {{1, {.run_delay_seconds = 9, .blocked_io_seconds = 8}}};
  Delays after;
  after.threads = {{1, {.run_delay_seconds = 0.5, .blocked_io_seconds = 0.25}}};
  EXPECT_EQ(difference(after, before).run_delay_seconds, 0.5);
  EXPECT_EQ(difference(after, before).blocked_io_seconds, 0.25);
}

TEST(Delays, SubtractsStealAndThrottling) {
  const Delays before{.threads = {}, .idle_seconds = 3, .steal_seconds = 10, .throttled_seconds = 20};
  const Delays after{.threads = {}, .idle_seconds = 3.25, .steal_seconds = 10.5, .throttled_seconds = 22};
  EXPECT_EQ(difference(after, before).idle_seconds, 0.25);
  EXPECT_EQ(difference(after, before).steal_seconds, 0.5);
  EXPECT_EQ(difference(after, before).throttled_seconds, 2.0);
  EXPECT_EQ(difference(after, Delays()).steal_seconds, std::nullopt);
}

TEST(Delays, OfThisProcessAreNotNegative) {
  const DelayMeter meter({});
  const Delays before = meter.now();
  const DelaysBetween between = difference(meter.now(), before);
  EXPECT_GE(between.run_delay_seconds.value_or(0), 0.0);
  EXPECT_GE(between.steal_seconds.value_or(0), 0.0);
}

}  // namespace
}  // namespace loadline
