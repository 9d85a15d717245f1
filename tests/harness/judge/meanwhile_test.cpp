#include "harness/judge/meanwhile.h"

#include <gtest/gtest.h>

#include <limits>

namespace loadline {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

MonitorSeries series(std::string name, std::string of, std::vector<double> values) {
  return {
      .name = std::move(name), .of = std::move(of), .unit = "bytes/s", .source = "test", .values = std::move(values)};
}

Trial trial(double from, double seconds) {
  Trial trial;
  trial.clock_started_seconds = from;
  trial.wall_seconds = seconds;
  return trial;
}

MonitorRecord record(std::vector<MonitorSeries> all) {
  return {
      .period_seconds = 1, .halvings = 0, .cpu_seconds = 0, .times_seconds = {0, 1, 2, 3, 4}, .series = std::move(all)};
}

TEST(Meanwhile, IsTheMeanOfTheIntervalsDuringATrial) {
  const MonitorRecord seen = record({series("device read", "sda", {kUnknown, 10, 20, 40, 80})});
  EXPECT_EQ(mean_meanwhile(seen, "device read", trial(1, 2)), 30);
  EXPECT_EQ(mean_meanwhile(seen, "device read", trial(1, 1)), 20);
  EXPECT_EQ(mean_meanwhile(seen, "device read", trial(0.5, 2)), (0.5 * 10 + 20 + 0.5 * 40) / 2);
  EXPECT_EQ(mean_meanwhile(seen, "device written", trial(1, 2)), std::nullopt);
}

TEST(Meanwhile, IsUnknownForATrialWithinOneInterval) {
  const MonitorRecord seen = record({series("device read", "sda", {kUnknown, 10, 20, 40, 80})});
  EXPECT_EQ(mean_meanwhile(seen, "device read", trial(1.1, 0.4)), std::nullopt);
  EXPECT_EQ(mean_meanwhile(seen, "device read", trial(9, 1)), std::nullopt);
  EXPECT_EQ(mean_meanwhile(seen, "device read", Trial{.wall_seconds = 1}), std::nullopt) << "of an older version";
}

TEST(Meanwhile, IsTheSumOverAllDevicesWhereAllAreKnown) {
  const MonitorRecord seen = record({series("device read", "sda", {kUnknown, 10, 20, 30, 40}),
                                     series("device read", "sdb", {kUnknown, 1, 2, kUnknown, 4})});
  EXPECT_EQ(mean_meanwhile(seen, "device read", trial(0, 2)), 16.5);
  EXPECT_EQ(mean_meanwhile(seen, "device read", trial(1, 2)), 22);
  EXPECT_EQ(mean_meanwhile(seen, "device read", trial(2, 1)), std::nullopt);
}

TEST(Meanwhile, AttributesReadsBeyondThoseOfThisProcessToOthers) {
  const MonitorRecord seen = record({series("device read", "sda", {kUnknown, 10, 10, 10, 10}),
                                     series("read from storage", "this process", {kUnknown, 4, 4, 40, 40})});
  EXPECT_EQ(others_read_bytes_per_second(seen, trial(0, 2)), 6);
  EXPECT_EQ(others_read_bytes_per_second(seen, trial(2, 2)), 0) << "read ahead from another device";
  EXPECT_EQ(others_read_bytes_per_second(record({}), trial(0, 2)), std::nullopt);
  Trial of_ranks = trial(0, 2);
  of_ranks.ranks = TrialRanks{.each = std::vector<RankShare>(2)};
  EXPECT_EQ(others_read_bytes_per_second(seen, of_ranks), std::nullopt) << "the other rank may have read it";
}

}  // namespace
}  // namespace loadline
