#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/show/report/sections.h"
#include "tests/harness/show/report/runs.h"

namespace loadline {
namespace {

using test::Reported;
using test::sweep;
using testing::ElementsAre;

const double kNone = std::nan("");

Section section_of(const MonitorRecord& record) {
  Result result = sweep();
  result.monitor = record;
  const Reported reported({result});
  return monitor_section(reported.data());
}

MonitorSeries series(const std::string& of, std::vector<double> values) {
  return {.name = "cpu user", .of = of, .unit = "share", .source = "/proc/stat", .values = std::move(values)};
}

TEST(MonitorSection, HasTheTimesAndThenARowPerSeries) {
  const Section section = section_of({.period_seconds = 0.2,
                                      .halvings = 1,
                                      .cpu_seconds = 0.05,
                                      .times_seconds = {0, 0.4, 0.8},
                                      .series = {series("cpu0", {0.5, kNone, 0.25})}});
  ASSERT_EQ(section.table.rows.size(), 2U);
  EXPECT_THAT(section.table.rows[0], ElementsAre("A", "time", Datum(""), "s", Datum(""), Datum(), Datum(), Datum(),
                                                 Datum(Values{{0.0, 0.4, 0.8}})));
  EXPECT_THAT(section.table.rows[1], ElementsAre("A", "cpu user", "cpu0", "share", "/proc/stat", 0.25, 0.375, 0.5,
                                                 Datum(Values{{0.5, std::nullopt, 0.25}})));
  EXPECT_THAT(section.notes, ElementsAre("A sample every 0.4 s; the monitor used 0.05 s of CPU time."));
}

TEST(MonitorSection, LeavesOutWhatWasNeverKnown) {
  const Section section =
      section_of({.period_seconds = 1, .times_seconds = {0, 1}, .series = {series("cpu0", {kNone, kNone})}});
  EXPECT_EQ(section.table.rows.size(), 1U);
}

TEST(MonitorSection, NamesWhatWasZeroThroughout) {
  MonitorRecord record{.period_seconds = 1, .times_seconds = {0, 1}};
  record.series = {{.name = "swapped in", .of = "memory", .unit = "bytes/s", .source = "", .values = {kNone, 0}},
                   series("cpu0", {0, 0}),
                   series("cpu1", {0, 0.5})};
  EXPECT_THAT(section_of(record).notes[1], "Not shown, because 0 or unknown throughout: swapped in.");
}

TEST(MonitorSection, SaysWhenASeriesIsOfTheMachine) {
  MonitorRecord record{.period_seconds = 3600, .cpu_seconds = 0.00002, .times_seconds = {0, 1}};
  record.series = {{.name = "page cache", .of = "memory", .unit = "bytes", .source = "", .values = {1e9, 1.804e9}},
                   {.name = "pressure io some", .of = "system", .unit = "share", .source = "", .values = {0, 0.5}}};
  const Section section = section_of(record);
  EXPECT_EQ(section.table.rows[1][2], Datum("the machine"));
  EXPECT_EQ(section.table.rows[2][2], Datum("the machine"));
  EXPECT_EQ(text_of(section.table.rows[1][7], section.table.columns[7].figure), "1.804 G");
  EXPECT_THAT(section.notes, ElementsAre("A sample every 3600 s; the monitor used 0.00002 s of CPU time."));
}

TEST(MonitorSection, FoldsManyOfAKindToLowestMeanAndHighest) {
  MonitorRecord record{.period_seconds = 1, .times_seconds = {0, 1}};
  for (int cpu = 0; cpu < 9; ++cpu) {
    record.series.push_back(series("cpu" + std::to_string(cpu), {0.1 * cpu, cpu == 4 ? 1.0 : kNone}));
  }
  const Section section = section_of(record);
  ASSERT_EQ(section.table.rows.size(), 4U);
  EXPECT_EQ(section.table.rows[1][2], Datum("lowest of 9"));
  EXPECT_EQ(section.table.rows[2][2], Datum("mean of 9"));
  EXPECT_EQ(section.table.rows[3][2], Datum("highest of 9"));
  EXPECT_EQ(section.table.rows[1][8], Datum(Values{{0.0, 1.0}}));
  EXPECT_NEAR(*std::get<Values>(section.table.rows[2][8]).numbers[0], 0.4, 1e-12);
}

TEST(MonitorSection, SaysOfSeveralRunsWhichIsMeantAndOnceWhatIsOfAll) {
  Result result = sweep();
  result.monitor = MonitorRecord{.period_seconds = 0.5, .cpu_seconds = 0.25, .times_seconds = {0, 1}};
  for (int cpu = 0; cpu < 9; ++cpu) result.monitor->series.push_back(series(fmt::format("cpu{}", cpu), {0, 1}));
  const Reported reported({result, result});
  EXPECT_THAT(monitor_section(reported.data()).notes,
              ElementsAre("A: A sample every 0.5 s; the monitor used 0.25 s of CPU time.",
                          "B: A sample every 0.5 s; the monitor used 0.25 s of CPU time.",
                          "Of a kind with more than 8 members, only the lowest, mean and highest are shown."));
}

TEST(MonitorSection, DrawsMeansOfNeighboursWhereThereAreMoreSamplesThanPixels) {
  MonitorRecord record{.period_seconds = 1};
  std::vector<double> values;
  for (int i = 0; i < 1200; ++i) {
    record.times_seconds.push_back(i);
    values.push_back(i % 2 == 0 ? 0 : 1);
  }
  record.series = {series("cpu0", values)};
  const Section section = section_of(record);
  const auto& drawn = std::get<Values>(section.table.rows[1][8]).numbers;
  EXPECT_EQ(drawn.size(), 600U);
  EXPECT_EQ(drawn[0], 0.5);
  EXPECT_EQ(section.table.rows[1][7], Datum(1.0)) << "the highest is that of all";
  EXPECT_THAT(section.notes[1], testing::HasSubstr("means of 2 samples"));
}

TEST(MonitorSection, IsEmptyWithoutARecord) {
  const Reported reported({sweep()});
  EXPECT_TRUE(monitor_section(reported.data()).table.rows.empty());
}

}  // namespace
}  // namespace loadline
