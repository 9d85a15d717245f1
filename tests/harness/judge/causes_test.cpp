#include "harness/judge/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/cause_words.h"
#include "tests/harness/judge/causes_fixture.h"
#include "tests/harness/support/loader_stages.h"

namespace loadline {
namespace {

using test::kTwoOfFour;
using test::RanksOnTheirOwnCpus;
using test::spend;
using test::TwoRanks;
using test::Waiting;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Causes, AreSharesOfTheTimeOfTheLoadersThreads) {
  const Causes causes = Waiting().causes();
  EXPECT_DOUBLE_EQ(causes.cpu.mean, 0.1);
  EXPECT_DOUBLE_EQ(causes.wait.mean, 0.9);
  EXPECT_FALSE(causes.contention || causes.throttling || causes.steal || causes.blocked) << "nobody told";
}

TEST(Causes, AreNotNamedWhereThreadsAreOffTheCpusForUnknownReasons) {
  EXPECT_THAT(Waiting().causes().named, IsEmpty());
  Waiting files;
  files.access = Access::kFiles;
  EXPECT_THAT(files.causes().named, IsEmpty());
}

TEST(Causes, NameLatencyWhereMajorFaultsCanExplainTheWaiting) {
  Waiting run;
  // Two workers wait for 9 s each; 450 faults of at most 20 ms explain half of these 18 s.
  for (Trial& trial : run.cell.trials) trial.usage.major_faults = 450;
  EXPECT_THAT(run.causes().named, ElementsAre(Cause::kLatency));
  for (Trial& trial : run.cell.trials) trial.usage.major_faults = 20;
  EXPECT_THAT(run.causes().named, IsEmpty());
}

TEST(Causes, NameLatencyWhereMajorFaultsOfTheMeanRankCanExplainItsWaiting) {
  Waiting run;
  for (Trial& trial : run.cell.trials) {
    trial.usage.user_cpu_seconds *= 2;
    trial.usage.system_cpu_seconds *= 2;
    trial.usage.major_faults = 600;
    trial.ranks = TrialRanks{.each = std::vector<RankShare>(2)};
  }
  EXPECT_THAT(run.causes().named, IsEmpty()) << "300 of each rank explain a third of its 18 s";
  for (Trial& trial : run.cell.trials) trial.usage.major_faults = 900;
  EXPECT_THAT(run.causes().named, ElementsAre(Cause::kLatency));
}

TEST(Causes, NameLatencyWhereADeviceGaveSomeOfTheData) {
  Waiting run;
  // 10,000 samples of 1,000 bytes.
  for (Trial& trial : run.cell.trials) trial.usage.device_read_bytes = 100'000;
  EXPECT_THAT(run.causes().named, ElementsAre(Cause::kLatency));
  for (Trial& trial : run.cell.trials) trial.usage.device_read_bytes = 99'000;
  EXPECT_THAT(run.causes().named, IsEmpty());
}

TEST(Causes, NameStorageWhereTheDeviceHasNoMoreToGive) {
  Waiting run;
  for (Trial& trial : run.cell.trials) trial.usage.device_read_bytes = 10'000'000;
  run.device = DeviceShare{.used = 0.74};
  EXPECT_THAT(run.causes().named, ElementsAre(Cause::kLatency));
  run.device = DeviceShare{.used = 0.75};
  EXPECT_THAT(run.causes().named, ElementsAre(Cause::kStorage));
  EXPECT_EQ(
      causes_text(run.causes(), "keep more reads in flight with more --workers", 2),
      " Loading is bound by storage: the trials used 75 % of the device's rate for such reads, so more reads in flight "
      "can hardly help; use faster storage or a format with fewer bytes per sample.");
  run.device = DeviceShare{.used = 1.04};
  EXPECT_EQ(
      causes_text(run.causes(), "keep more reads in flight with more --workers", 2),
      " Loading is bound by storage: the trials used all of the device's rate for such reads, so more reads in flight "
      "can hardly help; use faster storage or a format with fewer bytes per sample.");
  for (Trial& trial : run.cell.trials) trial.usage.user_cpu_seconds = 12;
  EXPECT_THAT(run.causes().named, IsEmpty()) << "the CPUs are as busy";
}

TEST(Causes, NameLatencyWhereTheRunShowsThatMoreReadsGain) {
  Waiting run;
  for (Trial& trial : run.cell.trials) trial.usage.device_read_bytes = 10'000'000;
  run.device = DeviceShare{.used = 0.9, .more_gained = true};
  EXPECT_THAT(run.causes().named, ElementsAre(Cause::kLatency));
}

// "5.6 % of the mapped-read ceiling", in samples, used to stand unexplained beside "all of the device's rate".
TEST(Causes, SayForStorageThatMoreWasReadThanTheSamplesHave) {
  Waiting run;
  const auto text = [&](std::uint64_t read) {
    for (Trial& trial : run.cell.trials) trial.usage.device_read_bytes = read;
    run.device = DeviceShare{.used = 1};
    return causes_text(run.causes(), "", 2);
  };
  EXPECT_EQ(
      text(200'000'000),
      " Loading is bound by storage: the trials used all of the device's rate for such reads to read 20 times the "
      "bytes that their samples have, so more reads in flight can hardly help; use faster storage or a format "
      "with fewer bytes per sample.");
  EXPECT_THAT(text(25'000'000), HasSubstr(" to read 2.5 times the bytes that their samples have, so "));
  EXPECT_THAT(text(14'000'000), HasSubstr(" of the device's rate for such reads, so more "));
}

TEST(Causes, SayNothingForStorageOfMoreReadsThanItWasMeasuredWith) {
  Waiting run;
  for (Trial& trial : run.cell.trials) trial.usage.device_read_bytes = 10'000'000;
  run.access = Access::kFiles;
  run.device = DeviceShare{.used = 0.98, .limit = CeilingUnit::kReads, .of_few_reads = true};
  EXPECT_EQ(causes_text(run.causes(), "", 2),
            " Loading is bound by storage: the trials used 98 % of the device's rate for so many such reads in flight; "
            "use faster storage or packed files with fewer reads per sample.");
}

TEST(Causes, NameNoLatencyWhereThreadsWaitForSlots) {
  Waiting run;
  const auto waiting_for_slots = [&](double share) {
    for (Trial& trial : run.cell.trials) {
      trial.usage.device_read_bytes = 100'000;
      spend(trial, 2, {{WorkerStage::kSlotWait, share}, {WorkerStage::kRead, 1 - share}});
    }
    return run.causes().named;
  };
  EXPECT_THAT(waiting_for_slots(0.3), ElementsAre(Cause::kLatency));
  EXPECT_THAT(waiting_for_slots(0.5), IsEmpty()) << "only 40 % of their time is left";
}

TEST(Causes, NameLatencyWhereTheKernelCountedTheBlocking) {
  Waiting run;
  for (Trial& trial : run.cell.trials) trial.usage.blocked_io_seconds = 9;
  EXPECT_THAT(run.causes().named, ElementsAre(Cause::kLatency));
  EXPECT_DOUBLE_EQ(run.causes().blocked->mean, 0.45);
  for (Trial& trial : run.cell.trials) trial.usage.blocked_io_seconds = 8;
  EXPECT_THAT(run.causes().named, IsEmpty());
}

TEST(Causes, NameLatencyOfFilesWhereThreadsWereNotRunnableEither) {
  Waiting run;
  run.access = Access::kFiles;
  for (Trial& trial : run.cell.trials) {
    trial.usage.run_delay_seconds = 0.1;
    trial.usage.voluntary_switches = 9 * trial.batches;
  }
  EXPECT_THAT(run.causes().named, ElementsAre(Cause::kLatency));
  for (Trial& trial : run.cell.trials) trial.usage.voluntary_switches = 8 * trial.batches;
  EXPECT_THAT(run.causes().named, IsEmpty()) << "they may wait for slots";
  for (Trial& trial : run.cell.trials) {
    trial.usage.voluntary_switches = 100 * trial.batches;
    trial.usage.blocked_io_seconds = 0;
  }
  EXPECT_THAT(run.causes().named, IsEmpty()) << "the kernel counts, and they wait for something else";
  for (Trial& trial : run.cell.trials) trial.usage.blocked_io_seconds.reset();
  run.access = Access::kMapped;
  EXPECT_THAT(run.causes().named, IsEmpty());
}

TEST(Causes, NameNoLatencyWhereThreadsAreBusyOrWaitForALock) {
  const auto named = [](double cpu_seconds, double wait_seconds, Access access) {
    Waiting run;
    run.access = access;
    for (Trial& trial : run.cell.trials) {
      trial.usage.user_cpu_seconds = cpu_seconds;
      trial.wait.total_seconds = wait_seconds;
      trial.usage.blocked_io_seconds = 20;
    }
    return run.causes().named;
  };
  EXPECT_THAT(named(1, 9, Access::kFiles), ElementsAre(Cause::kLatency));
  EXPECT_THAT(named(12, 9, Access::kFiles), IsEmpty());
  EXPECT_THAT(named(1, 4, Access::kFiles), IsEmpty());
  EXPECT_THAT(named(1, 9, Access::kRows), IsEmpty());
  EXPECT_THAT(named(1, 9, Access::kResident), IsEmpty());
}

// Three busy loops beside a thread pool on two CPUs: nothing is read, nothing faults.
TEST(Causes, NameOtherProcessesWhereThreadsWereRunnableAndHadNoCpu) {
  Waiting run;
  run.cpus = {.counted = 2, .of_process = 3, .cpus = 2};
  for (Trial& trial : run.cell.trials) {
    trial.usage.user_cpu_seconds = 8;
    trial.usage.system_cpu_seconds = 0;
    trial.usage.run_delay_seconds = 12;
  }
  const Causes causes = run.causes();
  EXPECT_THAT(causes.named, ElementsAre(Cause::kContention));
  // Up to 8 / 2 of the 12 s may be one thread waiting for the other two.
  EXPECT_DOUBLE_EQ(causes.contention->mean, 0.4);
  EXPECT_EQ(causes_text(causes, "keep more reads in flight with more --workers", 2),
            " Other processes kept its threads off the CPUs for at least 40 % of their time: measure again without "
            "them, or on dedicated CPUs.");
  EXPECT_EQ(causes_text(causes, "keep more reads in flight with more --workers", 2, " in FULL"),
            " Other processes kept its threads off the CPUs for at least 40 % of their time in FULL: measure again "
            "without them, or on dedicated CPUs.");
}

// The consumer waited for a CPU too.
TEST(Causes, TakeNoMoreTimeFromThreadsThanThatInWhichTheyDidNotRun) {
  Waiting run;
  run.cpus = {.counted = 1, .of_process = 2, .cpus = 2};
  for (Trial& trial : run.cell.trials) {
    trial.usage.user_cpu_seconds = 4;
    trial.usage.system_cpu_seconds = 0;
    trial.usage.run_delay_seconds = 19;
  }
  EXPECT_DOUBLE_EQ(run.causes().contention->mean, 0.8);
}

TEST(Causes, NameNoOtherProcessesWhereThreadsTakeTurnsAmongThemselves) {
  Waiting run;
  run.cpus = {.counted = 4, .of_process = 5, .cpus = 2};
  for (Trial& trial : run.cell.trials) {
    trial.usage.user_cpu_seconds = 20;
    trial.usage.run_delay_seconds = 25;
  }
  EXPECT_THAT(run.causes().named, IsEmpty());
  EXPECT_DOUBLE_EQ(run.causes().contention->mean, 0);
}

TEST(Causes, NameNoOtherProcessesWhereRanksTakeTurnsOnACpu) {
  // Of the four threads, three wait at any time.
  const Causes causes = TwoRanks(10, 5, 15).causes();
  EXPECT_DOUBLE_EQ(causes.contention->mean, 0);
  EXPECT_DOUBLE_EQ(causes.cpu.mean, 1) << "of the half of the CPU that each rank has";
  EXPECT_THAT(causes.named, IsEmpty());
}

// One rank has a CPU of its own and ends early.
TEST(Causes, NameNoOtherProcessesWhereSomeRanksShareACpuAndOthersDoNot) {
  Waiting run;
  run.cpus = {.counted = 1, .of_process = 1, .cpus = 1, .ranks = 2};
  for (Trial& trial : run.cell.trials) {
    trial.usage.user_cpu_seconds = 15;
    trial.usage.system_cpu_seconds = 0;
    trial.usage.run_delay_seconds = 10;
    trial.ranks = TrialRanks{.each = std::vector<RankShare>(3)};
  }
  EXPECT_DOUBLE_EQ(run.causes().contention->mean, 0);
}

TEST(Causes, NameOtherProcessesThatTakeACpuFromTheRanksOnIt) {
  // A busy loop takes as much of the CPU as each rank: a third.
  TwoRanks run(15, 5, 25);
  run.cpus.of_process = 1;
  for (Trial& trial : run.cell.trials) trial.usage.run_delay_seconds = 2 * 10;
  EXPECT_THAT(run.causes().named, ElementsAre(Cause::kContention));
  EXPECT_NEAR(run.causes().contention->mean, 1.0 / 3, 1e-12);
}

TEST(Causes, NameTheOnlyRankWhoseCpusOtherProcessesTook) {
  const Causes causes = RanksOnTheirOwnCpus({0.2, 1.6}).causes();
  EXPECT_DOUBLE_EQ(causes.contention->mean, 0.045) << "of the mean rank, too little to be named";
  ASSERT_TRUE(causes.contended_rank.has_value());
  EXPECT_EQ(causes.contended_rank->rank, 1);
  EXPECT_DOUBLE_EQ(causes.contended_rank->share.mean, 0.08);
  EXPECT_NEAR(causes.contended_rank->others, 0.01, 1e-12);
  EXPECT_THAT(causes.named, ElementsAre(Cause::kContention));
  EXPECT_EQ(causes_text(causes, "", 1, " in FULL"),
            " Other processes kept the threads of rank 1 off the CPUs for at least 8 % of their time in FULL, and "
            "those of other ranks for 1 %: measure again without them, or on another node.");
}

TEST(Causes, NameNoRankWhereOtherProcessesTookTheCpusOfAll) {
  const Causes causes = RanksOnTheirOwnCpus({2, 3}).causes();
  EXPECT_DOUBLE_EQ(causes.contended_rank->share.mean, 0.15);
  EXPECT_THAT(causes_text(causes, "", 1), HasSubstr("kept its threads off the CPUs for at least 13 % of their time:"))
      << "one and a half times as much as of the other rank";
  EXPECT_THAT(RanksOnTheirOwnCpus({0, 0}).causes().named, IsEmpty());
}

TEST(Causes, BlameNoOtherProcessesForWhatRanksTakeFromEachOther) {
  RanksOnTheirOwnCpus run({0, 8});
  run.cpus.ranks = 2;
  EXPECT_FALSE(run.causes().contended_rank.has_value());
}

TEST(Causes, NameNoRankWhereTheOthersDoNotTell) {
  RanksOnTheirOwnCpus run({0, 8});
  for (Trial& trial : run.cell.trials) trial.ranks->each[0].run_delay_seconds.reset();
  EXPECT_FALSE(run.causes().contended_rank.has_value());
}

// Files may say anything.
TEST(Causes, NameNoRankWhereOneIsThereTwice) {
  RanksOnTheirOwnCpus run({0, 8});
  for (Trial& trial : run.cell.trials) trial.ranks->each[0].rank = 1;
  EXPECT_FALSE(run.causes().contended_rank.has_value());
}

TEST(Causes, ShareWhatAHostOrAQuotaTookFromACpuAmongTheRanksOnIt) {
  TwoRanks run(10, 2.5, 2.5);
  for (Trial& trial : run.cell.trials) {
    trial.usage.steal_seconds = 2;  // of the CPU, which both ranks report
    trial.usage.throttled_seconds = 3;
  }
  EXPECT_DOUBLE_EQ(run.causes().steal->mean, 0.2);
  EXPECT_DOUBLE_EQ(run.causes().throttling->mean, 0.3);
}

TEST(Causes, TellThrottlingFromContention) {
  Waiting run;
  // The quota was cut in the middle.
  for (Trial& trial : run.cell.trials) {
    trial.usage.run_delay_seconds = 0;
    trial.usage.throttled_seconds = 0;
  }
  run.cell.trials[2].usage.run_delay_seconds = 12;
  run.cell.trials[2].usage.throttled_seconds = 12;
  const Causes causes = run.causes();
  EXPECT_THAT(causes.named, ElementsAre(Cause::kThrottling));
  EXPECT_EQ(
      causes_text(causes, "keep more reads in flight with more --workers", 2),
      " The CPU quota of the control group held its threads back for 20 % of the time (0 to 60 % from trial to trial): "
      "raise the quota, or use no more threads than it allows.");
}

TEST(Causes, NameTheLargestFirst) {
  Waiting run;
  for (Trial& trial : run.cell.trials) {
    trial.usage.run_delay_seconds = 2;
    trial.usage.steal_seconds = 4;
  }
  const Causes causes = run.causes();
  EXPECT_THAT(causes.named, ElementsAre(Cause::kSteal, Cause::kContention));
  EXPECT_EQ(causes_text(causes, "keep more reads in flight with more --workers", 2),
            " The hypervisor took 20 % of the time from its threads: measure again on a quieter host, or on one that "
            "does not share its CPUs. Other processes kept its threads off the CPUs for at least 7 % of their time: "
            "measure again without them, or on dedicated CPUs.");
}

TEST(Causes, AreUnknownWithoutTrialsOtherThanPilots) {
  Waiting run;
  for (Trial& trial : run.cell.trials) trial.pilot = true;
  EXPECT_FALSE(causes_of(run.cell, {}, kTwoOfFour).has_value());
}

TEST(Cause, HasANameForEveryValue) {
  EXPECT_EQ(name(Cause::kLatency), "latency");
  EXPECT_EQ(name(Cause::kStorage), "storage");
  EXPECT_EQ(name(Cause::kContention), "contention");
  EXPECT_EQ(name(Cause::kThrottling), "throttling");
  EXPECT_EQ(name(Cause::kSteal), "steal");
}

// A monitor that sampled constant values once a second, during three trials of 10 s.
MonitorRecord monitor_of(CellResult& cell, double device, double own, double read_again) {
  MonitorRecord monitor{.period_seconds = 1, .times_seconds = {}, .series = {}};
  for (int i = 0; i <= 30; ++i) monitor.times_seconds.push_back(i);
  const auto add = [&](const char* name, double value) {
    monitor.series.push_back({.name = name, .of = "it", .unit = "", .source = "", .values = std::vector(31, value)});
  };
  add("device read", device);
  add("read from storage", own);
  add("read again after reclaim", read_again);
  for (std::size_t i = 0; i < cell.trials.size(); ++i)
    cell.trials[i].clock_started_seconds = 10.0 * static_cast<double>(i);
  return monitor;
}

TEST(Causes, NameOtherReadersWhereAMonitorSawThem) {
  Waiting run;
  const DatasetInfo info{.samples = 10'000, .stored_bytes = 10'000'000, .access = Access::kMapped};
  constexpr double kMebi = 1 << 20;
  const MonitorRecord busy = monitor_of(run.cell, 100 * kMebi, 60 * kMebi, 0);
  const auto causes = causes_of(run.cell, info, run.cpus, std::nullopt, &busy);
  ASSERT_TRUE(causes.has_value());
  EXPECT_THAT(causes->named, ElementsAre(Cause::kReaders));
  EXPECT_EQ(causes_text(*causes, "keep more reads in flight with more --workers", 2),
            " Meanwhile other processes read 40.0 MiB/s from the device that holds the data: measure again without "
            "them, or with the data on a separate device.");
  const MonitorRecord own = monitor_of(run.cell, 100 * kMebi, 99 * kMebi, 0);
  EXPECT_THAT(causes_of(run.cell, info, run.cpus, std::nullopt, &own)->named, IsEmpty());
  const MonitorRecord from_cache = monitor_of(run.cell, 100 * kMebi, 0, 0);
  EXPECT_THAT(causes_of(run.cell, info, run.cpus, std::nullopt, &from_cache)->named, IsEmpty())
      << "which are in nobody's way";
}

TEST(Causes, TakeRanksForNoOtherReaders) {
  Waiting run;
  for (Trial& trial : run.cell.trials) trial.ranks = TrialRanks{.each = std::vector<RankShare>(2)};
  const DatasetInfo info{.samples = 10'000, .stored_bytes = 10'000'000, .access = Access::kMapped};
  constexpr double kMebi = 1 << 20;
  const MonitorRecord both = monitor_of(run.cell, 100 * kMebi, 50 * kMebi, 0);
  const auto causes = causes_of(run.cell, info, run.cpus, std::nullopt, &both);
  EXPECT_THAT(causes->named, IsEmpty());
  EXPECT_FALSE(causes->others_read_bytes_per_second.has_value());
}

TEST(Causes, NameAShortageOfMemoryWhereTheDataHadBeenCached) {
  Waiting run;
  const DatasetInfo info{.samples = 10'000, .stored_bytes = 10'000'000, .access = Access::kMapped};
  constexpr double kMebi = 1 << 20;
  const MonitorRecord shortage = monitor_of(run.cell, 60 * kMebi, 60 * kMebi, 30 * kMebi);
  const auto causes = causes_of(run.cell, info, run.cpus, std::nullopt, &shortage);
  ASSERT_TRUE(causes.has_value());
  EXPECT_THAT(causes->named, ElementsAre(Cause::kReclaim));
  EXPECT_EQ(causes_text(*causes, "keep more reads in flight with more --workers", 2, " in FULL"),
            " Memory was short: the page cache had to drop 30.0 MiB/s of files that were then read again in FULL: free "
            "memory, or use less data.");
  run.cell.cell.cache = CacheState::kCold;
  EXPECT_THAT(causes_of(run.cell, info, run.cpus, std::nullopt, &shortage)->named, IsEmpty());
}

}  // namespace
}  // namespace loadline
