#include "harness/judge/cell_warnings.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tests/harness/judge/warnings_fixture.h"

namespace loadline {
namespace {

using test::overhead;
using test::result_of;
using test::sound;
using test::warnings;
using Texts = std::map<std::string, std::string>;

TEST(CellWarnings, ReportCpusThatChangedDuringTheTrials) {
  Result result = sound();
  result.environment.machine.affinity_list = "0-3";
  result.cells[0].trials[1].changed_cpus = CpuLimits{.affinity_list = "0-3", .cgroup_cpu_limit = 1.5};
  EXPECT_EQ(warnings(result),
            (Texts{{"cpus-changed",
                    "1 of 3 trials of mnist/IO/serial/batch:100 ran when the process could use other CPUs than at the "
                    "start: CPUs 0-3 and a quota of 1.5 CPUs, not CPUs 0-3"}}));
}

TEST(CellWarnings, ReportTrialsThatTheQuotaThrottled) {
  Result result = sound();
  result.cells[0].trials[0].usage.throttled_seconds = 0;
  result.cells[0].trials[1].usage.throttled_seconds = result.cells[0].trials[1].wall_seconds / 4;
  EXPECT_EQ(warnings(result),
            (Texts{{"throttled",
                    "1 of 3 trials of mnist/IO/serial/batch:100 was throttled by the CPU quota, for up to 25 % of "
                    "its time"}}));
}

TEST(CellWarnings, ReportSamplesThatWereLeftOut) {
  Result result = sound();
  result.cells[0].skipped = {{7, "cannot decode a/7.jpg (sample 7): 0 bytes"}};
  EXPECT_EQ(warnings(result), (Texts{{"samples-skipped",
                                      "mnist/IO/serial/batch:100 left out 1 sample that cannot be decoded; the first: "
                                      "cannot decode a/7.jpg (sample 7): 0 bytes"}}));
}

TEST(CellWarnings, ReportWarmTrialsThatFoundLessInThePageCache) {
  Result result = sound();
  result.datasets[0].info.access = Access::kFiles;
  for (Trial& trial : result.cells[0].trials) trial.page_cache.before = {.pages = 10, .resident_pages = 10};
  EXPECT_EQ(warnings(result), Texts());
  result.cells[0].trials[1].page_cache.before->resident_pages = 9;
  EXPECT_EQ(warnings(result), (Texts{{"not-resident",
                                      "the page cache did not hold all of /data/mnist before 1 of 3 trials of "
                                      "mnist/IO/serial/batch:100: it may have measured storage too"}}));
  result.cells[0].trials[1].usage.device_read_bytes = 4096;
  EXPECT_EQ(warnings(result), (Texts{{"not-resident",
                                      "the page cache did not hold all of /data/mnist before 1 of 3 trials of "
                                      "mnist/IO/serial/batch:100: it measured storage too"}}));
  result.datasets[0].info.access = Access::kMapped;
  result.cells[0].trials[1].usage.device_read_bytes = 0;
  EXPECT_EQ(warnings(result), Texts()) << "nobody missed the page";
  result.cells[0].trials[1].usage.major_faults = 1;
  EXPECT_EQ(warnings(result), (Texts{{"not-resident",
                                      "the page cache did not hold all of /data/mnist before 1 of 3 trials of "
                                      "mnist/IO/serial/batch:100: it measured storage too"}}));
  result.cells[0].trials[1].page_cache.before->resident_pages.reset();
  EXPECT_EQ(warnings(result), Texts()) << "nobody knows";
}

// Trials of 10,000 samples each, from a dataset of 60,000 samples in 60,000,000 bytes.
Result cold(std::size_t resident_pages, std::optional<std::uint64_t> device_read_bytes) {
  Result result = sound();
  result.datasets[0].info.stored_bytes = 60'000'000;
  result.datasets[0].before.resident_pages = 9;
  result.environment.machine.last_level_cache_bytes = 60000 * 784 + 1;
  result.cells[0].cell.cache = CacheState::kCold;
  for (Trial& trial : result.cells[0].trials) {
    trial.page_cache.before = {.pages = 1000, .resident_pages = resident_pages};
    trial.usage.device_read_bytes = device_read_bytes;
  }
  return result;
}

TEST(CellWarnings, AreAbsentForTrialsThatWereProvedCold) {
  EXPECT_EQ(warnings(cold(0, 10'000'000)), Texts());
  EXPECT_EQ(warnings(cold(10, 5'000'000)), Texts());
  EXPECT_EQ(warnings(cold(0, std::nullopt)), Texts());
}

TEST(CellWarnings, ReportColdTrialsWhoseFilesStayedCached) {
  Result result = cold(0, 10'000'000);
  result.cells[0].trials[2].page_cache.before->resident_pages = 123;
  EXPECT_EQ(warnings(result),
            (Texts{{"not-cold",
                    "1 of 3 trials of mnist/IO/serial/batch:100 was not cold: up to 13 % of /data/mnist stayed in the "
                    "page cache, held by the file system or by another process"}}));
}

TEST(CellWarnings, ReportColdTrialsThatReadLittleFromADevice) {
  EXPECT_EQ(warnings(cold(0, 1'000'000)),
            (Texts{{"not-cold",
                    "3 of 3 trials of mnist/IO/serial/batch:100 may not have been cold: as little as 10 % of the "
                    "bytes came from a device; a cache below the page cache, such as that of a network file system, "
                    "may have held the rest"}}));
}

TEST(CellWarnings, ReportColdTrialsWithoutAnyProof) {
  Result result = cold(0, std::nullopt);
  for (Trial& trial : result.cells[0].trials) trial.page_cache.before->resident_pages.reset();
  EXPECT_EQ(warnings(result),
            (Texts{{"not-cold",
                    "3 of 3 trials of mnist/IO/serial/batch:100 may not have been cold: the system reports neither "
                    "what the page cache holds of /data/mnist nor what came from a device"}}));
}

TEST(CellWarnings, ReportColdTrialsThatPaidForTheRestOfTheirEpoch) {
  Result result = cold(0, 1'999'999);
  result.datasets[0].info.access = Access::kMapped;
  for (Trial& trial : result.cells[0].trials) trial.samples = 1000;
  EXPECT_EQ(warnings(result), Texts()) << "which read less than twice what they delivered";
  for (Trial& trial : result.cells[0].trials) trial.usage.device_read_bytes = 8'000'000;
  EXPECT_EQ(
      warnings(result),
      (Texts{{"part-of-epoch",
              "3 of 3 trials of mnist/IO/serial/batch:100 ended after as little as 1.7 % of an epoch, and storage "
              "gave up to 8 times the bytes of their samples: the rest of an epoch finds those bytes in the page "
              "cache and is faster"}}));
  result.environment.machine.memory_total_bytes = 11'000'000;
  EXPECT_EQ(warnings(result), Texts()) << "memory does not keep what the rest would find";
  result.environment.machine.memory_total_bytes.reset();
  for (Trial& trial : result.cells[0].trials) {
    trial.samples = 59'901;
    trial.usage.device_read_bytes = 80'000'000;
  }
  EXPECT_EQ(warnings(result), Texts()) << "an epoch without its last batch";
}

TEST(CellWarnings, ReportChunksDecodedForSingleSamples) {
  Result result = sound();
  Cell& cell = result.cells[0].cell;
  cell.dataset.access = Access::kChunks;
  cell.sampler.order = Order::kShuffled;
  ASSERT_EQ(warnings(result).size(), 1U);
  EXPECT_EQ(warnings(result).begin()->first, "chunks-shuffled");
  cell.sampler.order = Order::kPageShuffled;
  EXPECT_EQ(warnings(result), Texts());
}

TEST(CellWarnings, ReportACellThatFailed) {
  Result result = sound();
  result.cells[0].error = "cannot read shard.bin";
  result.cells[0].trials.clear();
  EXPECT_EQ(warnings(result), (Texts{{"cell-failed", "mnist/IO/serial/batch:100: cannot read shard.bin"}}));
}

TEST(CellWarnings, ReportFewTrials) {
  Result result = sound();
  result.status = Status::kComplete;
  result.cells[0].trials.pop_back();
  EXPECT_EQ(warnings(result),
            (Texts{{"few-trials", "mnist/IO/serial/batch:100 has 2 trials: too few for a reliable interval"}}));
}

TEST(CellWarnings, AskForNoMoreTrialsOfOverheadWhereAllElseFailed) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {}}, {.mode = Mode::kOverhead, .rates = {1e6}}});
  result.cells[0].error = "cannot read shard.bin";
  EXPECT_EQ(warnings(result).count("few-trials"), 0U);
}

// It used to count the pilot's trials too.
TEST(CellWarnings, ReportFewTrialsBesidesAPilot) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 1001, 1002, 1003, 1004, 1000, 1001}}, overhead()});
  result.status = Status::kComplete;
  for (std::size_t i = 0; i < 5; ++i) result.cells[0].trials[i].pilot = true;
  EXPECT_EQ(warnings(result),
            (Texts{{"few-trials",
                    "mnist/IO/serial/batch:100 has 2 trials besides its pilot: too few for a reliable interval"}}));
}

TEST(CellWarnings, SayHowAStoppedRunGetsTheTrialsThatItLacks) {
  Result result = sound();
  result.options.trials = 5;
  result.cells[0].trials.pop_back();
  const auto folded_text = [&] { return folded(judge_run(result).warnings).at(0).message; };
  EXPECT_EQ(folded_text(),
            "mnist/IO/serial/batch:100 has 2 trials: too few for a reliable interval; --resume continues the run");
  result.loop.emplace();
  EXPECT_EQ(folded_text(), "mnist/IO/serial/batch:100 has 2 trials: too few for a reliable interval");
  result.options.trials = 2;
  result.loop.reset();
  EXPECT_EQ(folded_text(),
            "mnist/IO/serial/batch:100 has 2 trials: too few for a reliable interval; measure 5 or more (--trials)")
      << "no more were requested";
}

TEST(CellWarnings, ReportShortTrials) {
  Result result = sound();
  result.cells[0].trials[1] = test::trial_of(1010, 100, 9);
  EXPECT_EQ(warnings(result), (Texts{{"short-trials",
                                      "a trial of mnist/IO/serial/batch:100 has 9 batches: longer ones "
                                      "(--trial-seconds) would be steadier"}}));
}

TEST(CellWarnings, ReportTrialsInWhichTheProcessWasStopped) {
  Result result = sound();
  result.cells[0].trials[1].suspended = true;
  EXPECT_EQ(warnings(result), (Texts{{"suspended",
                                      "the process was stopped and continued during 1 of 3 trials of "
                                      "mnist/IO/serial/batch:100: its time includes the pause"}}));
}

TEST(CellWarnings, ReportTrialsThatVary) {
  const Texts texts = warnings(result_of({{.mode = Mode::kIo, .rates = {900, 1000, 1200}}, overhead()}));
  EXPECT_EQ(texts, (Texts{{"wide-spread", "the trials of mnist/IO/serial/batch:100 vary by 15 % of their mean"}}));
}

TEST(CellWarnings, ReportATrialThatStandsApart) {
  const Texts texts = warnings(result_of({{.mode = Mode::kIo, .rates = {1000, 1001, 1002, 1003, 900}}, overhead()}));
  EXPECT_EQ(texts, (Texts{{"outlier-trial",
                           "trial 5 of mnist/IO/serial/batch:100 stands apart from the others at 900 samples/s; it is "
                           "counted"}}));
}

// The chart of trials has another number than the warning used to have.
TEST(CellWarnings, CountNoPilotsToATrialThatStandsApart) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {10, 20, 1000, 1001, 1002, 1003, 900}}, overhead()});
  result.cells[0].trials[0].pilot = result.cells[0].trials[1].pilot = true;
  EXPECT_EQ(warnings(result), (Texts{{"outlier-trial",
                                      "trial 5 of mnist/IO/serial/batch:100 stands apart from the others at 900 "
                                      "samples/s; it is counted"}}));
}

TEST(CellWarnings, IgnoreAnOutlierTooCloseToMatter) {
  EXPECT_EQ(warnings(result_of({{.mode = Mode::kIo, .rates = {1000, 1001, 1002, 1003, 980}}, overhead()})), Texts());
}

}  // namespace
}  // namespace loadline
