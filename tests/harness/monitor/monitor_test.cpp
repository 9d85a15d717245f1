#include "harness/monitor/monitor.h"

#include <gtest/gtest.h>

#include <latch>

namespace loadline {
namespace {

std::vector<MonitorSource> counting_to(std::latch& taken) {
  std::vector<MonitorSource> sources;
  sources.push_back({.rows = {{.name = "state", .of = "it", .unit = "u", .source = "script"}},
                     .numbers = 1,
                     .read = [&taken, sample = 0](std::span<double> numbers) mutable {
                       numbers[0] = ++sample;
                       if (sample <= 3) taken.count_down();
                     }});
  return sources;
}

TEST(Monitor, SamplesOnItsOwnThreadByTheClockOfTheRun) {
  std::latch taken(3);
  double now = 9;
  Monitor monitor(SeriesLog(0.001, counting_to(taken)), [&now] { return now += 1; });
  taken.wait();
  const MonitorRecord record = monitor.record();
  ASSERT_GE(record.times_seconds.size(), 3U);
  EXPECT_EQ(record.times_seconds[0], 11) << "the clock is read after the source, and at the end of the sample";
  EXPECT_EQ(record.times_seconds[2], 15);
  EXPECT_EQ(record.series.at(0).values[2], 3);
  EXPECT_EQ(record.period_seconds, 0.001);
}

TEST(Monitor, AddsItsCpuTimeToThatOfEarlierPartsAndEndsAtOnce) {
  std::latch taken(1);
  MonitorRecord earlier{.period_seconds = 3600, .halvings = 0, .cpu_seconds = 5, .times_seconds = {}, .series = {}};
  Monitor monitor(SeriesLog(3600, counting_to(taken), earlier), [] { return 0.0; });
  taken.wait();
  const MonitorRecord record = monitor.record();
  EXPECT_GT(record.cpu_seconds, 5);
  EXPECT_LT(record.cpu_seconds, 6);
}

}  // namespace
}  // namespace loadline
