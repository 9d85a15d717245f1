#include "harness/show/monitor_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "harness/show/monitor_csv.h"
#include "tests/harness/support/results.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

Result watched() {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {10000, 10000}, .loader = "serial"}});
  result.cells[0].trials[0].clock_started_seconds = 1;
  result.cells[0].trials[0].started_seconds = 0.75;
  result.cells[0].trials[1].started_seconds = 2.5;
  result.cells[0].trials[1].clock_started_seconds = 2.5;
  result.cells[0].trials[1].round = 1;
  result.monitor = MonitorRecord{.period_seconds = 0.5, .halvings = 0, .cpu_seconds = 0.003};
  result.monitor->times_seconds = {0.5, 1, 2, 2.75};
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  result.monitor->series = {{"cpu user", "cpu0", "share", "/proc/stat", {unknown, 0.25, 1, 0.5}},
                            {"pressure io some", "system", "share", "/proc/pressure/io", {unknown, 0, 0, 0}},
                            {"requests, all", "sda", "", "/proc/diskstats", {3, 4, 5, unknown}},
                            {"pressure cpu some", "system", "share", "/proc/pressure/cpu", {unknown, 0, 0, 0}}};
  return result;
}

TEST(MonitorText, SaysHowMuchWasSampledHowOftenAtWhatCostAndWhere) {
  EXPECT_EQ(monitor_text(watched()),
            "monitor: 4 samples of 4 series, one every 500 ms, for 0.13 % of a CPU; from /proc/stat, /proc/pressure, "
            "/proc/diskstats\n");
  EXPECT_EQ(monitor_text(Result()), "");
}

TEST(MonitorText, SaysThatSamplesWereDropped) {
  Result result = watched();
  result.monitor->halvings = 2;
  EXPECT_EQ(monitor_text(result).substr(0, 78),
            "monitor: 4 samples of 4 series, one every 2 s (not 500 ms, to bound them), for");
}

TEST(MonitorCsv, HasALinePerSampleAndSaysWhichTrialRan) {
  EXPECT_EQ(
      monitor_csv(watched()),
      "time_seconds,trial_of,round,cpu user of cpu0 [share],pressure io some of the machine [share],\"requests, all of "
      "sda\",pressure cpu some of the machine [share]\n"
      "0.5,,,,,3,\n"
      "1,mnist/IO/serial/batch:100,0,0.25,0,4,0\n"
      "2,,,1,0,5,0\n"
      "2.75,mnist/IO/serial/batch:100,1,0.5,0,,0\n");
}

TEST(MonitorCsv, HasWholeBytesAndSaysWhenASeriesIsOfTheMachine) {
  Result result;
  result.monitor = MonitorRecord{.period_seconds = 0.5, .times_seconds = {0.5}};
  result.monitor->series = {{"memory available", "memory", "bytes", "/proc/meminfo", {2.366e10}},
                            {"device read", "sda", "bytes/s", "/proc/diskstats", {123456789012}},
                            {"memory of the group", "cgroup /job", "bytes", "memory.current", {0}}};
  EXPECT_EQ(monitor_csv(result),
            "time_seconds,trial_of,round,memory available of the machine [bytes],device read of sda [bytes/s],"
            "memory of the group of cgroup /job [bytes]\n"
            "0.5,,,23660000000,123456789012,0\n");
}

TEST(MonitorCsv, RefusesAResultWithoutAMonitor) {
  EXPECT_EQ(test::thrown_by([] { monitor_csv(Result()); }),
            test::failed("--to csv: the result has no monitor series; run with --monitor, such as --monitor 200ms"));
}

Result counted_events() {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {1000, 1000}, .loader = "thread-pool", .workers = 2}});
  for (Trial& trial : result.cells[0].trials) {
    trial.counters = TrialCounters();
    trial.counters->workers.emplace();
    trial.counters->workers->instructions = 4000 * trial.samples;
    trial.counters->workers->context_switches = trial.samples / 4;
    trial.counters->consumer.instructions = 25 * trial.samples;
    trial.counters->consumer.context_switches = trial.samples / 10;
  }
  result.counters = CounterFacts();
  return result;
}

TEST(CountersText, IsATableOfEventsPerSample) {
  const Result result = counted_events();
  EXPECT_EQ(counters_text(result, judge_run(result), 200),
            "events per sample                         threads   instructions  switches\n"
            "mnist/IO/thread-pool/workers:2/batch:100  workers           4000      0.25\n"
            "mnist/IO/thread-pool/workers:2/batch:100  consumer            25       0.1\n");
}

TEST(CountersText, HasNoExponents) {
  Result result = counted_events();
  for (Trial& trial : result.cells[0].trials) {
    trial.counters->workers->instructions = 1'234'567'890 * trial.samples;
    trial.counters->workers->context_switches = 0;
    trial.counters->consumer.instructions = 12'345 * trial.samples;
    trial.counters->consumer.context_switches.reset();
  }
  EXPECT_EQ(counters_text(result, judge_run(result), 200),
            "events per sample                         threads   instructions  switches\n"
            "mnist/IO/thread-pool/workers:2/batch:100  workers        1.235 G         0\n"
            "mnist/IO/thread-pool/workers:2/batch:100  consumer         12345         -\n");
}

TEST(CountersText, SaysWhatIsNotCountedAndWhatCoversUserModeOnly) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {1000}, .loader = "serial"}});
  EXPECT_EQ(counters_text(result, judge_run(result), 80), "");
  result.counters = CounterFacts{.user_mode_only = false, .refusal = "cycles are not counted, because of it"};
  EXPECT_EQ(counters_text(result, judge_run(result), 80), "cycles are not counted, because of it\n");
  result.counters = CounterFacts{.user_mode_only = true, .refusal = std::nullopt};
  EXPECT_EQ(counters_text(result, judge_run(result), 80),
            "instructions, cycles and misses are for user mode only: the system does not show the kernel's own\n");
}

}  // namespace
}  // namespace loadline
