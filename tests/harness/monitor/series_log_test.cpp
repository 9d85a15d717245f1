#include "harness/monitor/series_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <memory>

namespace loadline {
namespace {

using Numbers = std::vector<double>;

// A source that reads `samples` one after the other, then nothing.
MonitorSource scripted(std::vector<SeriesRow> rows, std::size_t numbers, std::deque<Numbers> samples) {
  auto left = std::make_shared<std::deque<Numbers>>(std::move(samples));
  return {.rows = std::move(rows), .numbers = numbers, .read = [left](std::span<double> into) {
            if (left->empty()) return;
            std::ranges::copy(left->front(), into.begin());
            left->pop_front();
          }};
}

SeriesRow row(std::string name, Shape shape, std::size_t number = 0, double scale = 1, std::size_t over = 0) {
  return {.name = std::move(name),
          .of = "it",
          .unit = "u",
          .source = "script",
          .shape = shape,
          .number = number,
          .scale = scale,
          .over = over};
}

// The values, with -1 for NaN so that they can be compared.
Numbers values(const SeriesLog& log, std::size_t series = 0) {
  Numbers values = log.record().series.at(series).values;
  for (double& value : values) value = std::isnan(value) ? -1 : value;
  return values;
}

void sample_at(SeriesLog& log, double seconds) {
  log.sample([seconds] { return seconds; });
}

std::vector<MonitorSource> one(MonitorSource source) {
  std::vector<MonitorSource> sources;
  sources.push_back(std::move(source));
  return sources;
}

TEST(SeriesLog, HasRatesOfTheIntervalThatEndsAtTheirTimeAndStatesUnchanged) {
  SeriesLog log(0.5, one(scripted({row("rate", Shape::kRate, 0, 512), row("state", Shape::kState, 1, 1024)}, 2,
                                  {{100, 3}, {110, 4}, {130, 5}})));
  sample_at(log, 10.0);
  sample_at(log, 10.5);
  sample_at(log, 11.5);
  EXPECT_EQ(log.record().times_seconds, (Numbers{10.0, 10.5, 11.5}));
  EXPECT_EQ(values(log, 0), (Numbers{-1, 10240, 10240}));
  EXPECT_EQ(values(log, 1), (Numbers{3072, 4096, 5120}));
  EXPECT_EQ(log.record().series[0].unit, "u");
}

TEST(SeriesLog, DividesTheGrowthOfTwoCounters) {
  SeriesLog log(1, one(scripted({row("latency", Shape::kQuotient, 0, 1e-3, 1)}, 2, {{0, 0}, {30, 10}, {30, 10}})));
  for (const double time : {0.0, 1.0, 2.0}) sample_at(log, time);
  EXPECT_EQ(values(log), (Numbers{-1, 0.003, -1}));
}

TEST(SeriesLog, LeavesOutSeriesThatAreMissingAtFirstAndValuesThatGoMissing) {
  SeriesLog log(1, one(scripted({row("never", Shape::kState, 0), row("at first", Shape::kState, 1)}, 2,
                                {{kNotKnown, 7}, {5, kNotKnown}, {5, 8}})));
  for (const double time : {0.0, 1.0, 2.0}) sample_at(log, time);
  ASSERT_EQ(log.record().series.size(), 1U);
  EXPECT_EQ(log.record().series[0].name, "at first");
  EXPECT_EQ(values(log), (Numbers{7, -1, 8}));
}

TEST(SeriesLog, HasNoRateForACounterThatStartedAgain) {
  SeriesLog log(1, one(scripted({row("rate", Shape::kRate)}, 1, {{1000}, {5}, {15}})));
  for (const double time : {0.0, 1.0, 2.0}) sample_at(log, time);
  EXPECT_EQ(values(log), (Numbers{-1, -1, 10}));
}

TEST(SeriesLog, HasRatesOverTheTimeBetweenTheReadingsOfTheirSource) {
  double now = 0;
  std::deque<double> waits{0, 0.4, 0};  // for a CPU, between the two sources of a sample
  const auto counter_of_time = [&](const char* name, bool waits_first) {
    return MonitorSource{
        .rows = {row(name, Shape::kRate)}, .numbers = 1, .read = [&, waits_first](std::span<double> n) {
          if (waits_first) {
            now += waits.front();
            waits.pop_front();
          }
          n[0] = 100 * now;
        }};
  };
  std::vector<MonitorSource> sources;
  sources.push_back(counter_of_time("before", false));
  sources.push_back(counter_of_time("after", true));
  SeriesLog log(0.1, std::move(sources));
  for (int i = 0; i < 3; ++i) {
    now += 0.1;
    log.sample([&] { return now; });
  }
  EXPECT_EQ(values(log, 0), (Numbers{-1, 100, 100}));
  EXPECT_EQ(values(log, 1), (Numbers{-1, 100, 100}));
  EXPECT_EQ(log.record().times_seconds, (Numbers{0.1, 0.6, 0.7}));
}

TEST(SeriesLog, CountsTicksThatDoNotFitTheirIntervalInTheNext) {
  SeriesRow busy = row("cpu user", Shape::kRate, 0, 0.01);
  busy.unit = "share";
  SeriesLog log(0.05, one(scripted({busy}, 1, {{0}, {6}, {10}, {110}, {110}})));
  for (const double time : {0.0, 0.05, 0.1, 0.15, 0.2}) sample_at(log, time);
  EXPECT_EQ(values(log), (Numbers{-1, 1, 1, 1, 0.2})) << "of a jump, no more than a tick is kept";
}

TEST(SeriesLog, HalvesItsSamplesRatherThanGrow) {
  std::deque<Numbers> samples;
  for (int i = 0; i < 9; ++i) samples.push_back({10.0 * i * i, 1.0 * i});
  SeriesLog log(0.25, one(scripted({row("rate", Shape::kRate), row("state", Shape::kState, 1)}, 2, samples)), {}, 8);
  EXPECT_DOUBLE_EQ(log.period_seconds(), 0.25);
  for (int i = 0; i < 9; ++i) sample_at(log, i);
  EXPECT_EQ(log.most_samples(), 8U);
  EXPECT_EQ(log.record().halvings, 1U);
  EXPECT_DOUBLE_EQ(log.period_seconds(), 0.5);
  EXPECT_EQ(log.record().period_seconds, 0.25);
  EXPECT_EQ(log.record().times_seconds, (Numbers{1, 3, 5, 7, 8}));
  EXPECT_EQ(values(log, 0), (Numbers{10, 40, 80, 120, 150}));
  EXPECT_EQ(values(log, 1), (Numbers{1, 3, 5, 7, 8}));
}

TEST(SeriesLog, ContinuesTheSeriesOfAnEarlierPartOfTheRun) {
  MonitorRecord earlier{.period_seconds = 1, .halvings = 1, .cpu_seconds = 0.5, .times_seconds = {0, 2}, .series = {}};
  earlier.series.push_back({.name = "gone", .of = "it", .unit = "u", .source = "s", .values = {1, 2}});
  earlier.series.push_back({.name = "state", .of = "it", .unit = "u", .source = "script", .values = {3, 4}});
  SeriesLog log(1, one(scripted({row("state", Shape::kState), row("new", Shape::kRate)}, 1, {{5}, {7}})), earlier);
  EXPECT_DOUBLE_EQ(log.period_seconds(), 2);
  sample_at(log, 10);
  sample_at(log, 12);
  EXPECT_EQ(log.record().times_seconds, (Numbers{0, 2, 10, 12}));
  ASSERT_EQ(log.record().series.size(), 3U);
  EXPECT_EQ(values(log, 0), (Numbers{1, 2, -1, -1}));
  EXPECT_EQ(values(log, 1), (Numbers{3, 4, 5, 7}));
  EXPECT_EQ(values(log, 2), (Numbers{-1, -1, -1, 1}));
}

TEST(SeriesLog, KeepsFourDigits) {
  SeriesLog log(1, one(scripted({row("state", Shape::kState)}, 1, {{123456789}, {0.000123456}})));
  sample_at(log, 0.123456);
  sample_at(log, 1);
  EXPECT_EQ(values(log), (Numbers{123500000, 0.0001235}));
  EXPECT_EQ(log.record().times_seconds[0], 0.1235);
}

}  // namespace
}  // namespace loadline
