#include "harness/judge/cause_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/harness/judge/causes_fixture.h"
#include "tests/harness/support/loader_stages.h"

namespace loadline {
namespace {

using test::RanksOnTheirOwnCpus;
using test::spend;
using test::TwoRanks;
using test::Waiting;
using testing::HasSubstr;

TEST(Causes, FromOutsideAreToldInBrief) {
  EXPECT_EQ(outside_causes_text(RanksOnTheirOwnCpus({0.2, 1.6}).causes(), " in FULL"),
            " Other processes kept the threads of rank 1 off the CPUs for at least 8 % of their time in FULL.");
  EXPECT_EQ(outside_causes_text(RanksOnTheirOwnCpus({2, 3}).causes()),
            " Other processes kept its threads off the CPUs for at least 13 % of their time.");
  EXPECT_EQ(outside_causes_text(RanksOnTheirOwnCpus({0, 0}).causes()), "");
  TwoRanks run(10, 2.5, 2.5);
  for (Trial& trial : run.cell.trials) {
    trial.usage.steal_seconds = 2;  // of the CPU, which both ranks report
    trial.usage.throttled_seconds = 3;
  }
  EXPECT_EQ(outside_causes_text(run.causes()),
            " A CPU quota held its threads back for 30 % of the time. The hypervisor took 20 % of the time from its "
            "threads.");
}

TEST(Causes, SpeakOfOneThreadWhereThereIsOne) {
  Waiting run;
  run.cpus = {.counted = 1, .of_process = 1, .cpus = 2};
  for (Trial& trial : run.cell.trials) {
    trial.usage.run_delay_seconds = 2;
    trial.usage.steal_seconds = 4;
  }
  const std::string text = causes_text(run.causes(), "", 0);
  EXPECT_THAT(text, HasSubstr(" from its thread: "));
  EXPECT_THAT(text, HasSubstr(" kept its thread off the CPUs for at least "));
}

TEST(Causes, SayForLatencyHowSeldomThreadsWereBusyAndWhatToDo) {
  Waiting run;
  run.access = Access::kFiles;
  for (Trial& trial : run.cell.trials) trial.usage.blocked_io_seconds = 18;
  EXPECT_EQ(causes_text(run.causes(), "keep more reads in flight with more --workers", 1),
            " Loading is bound by storage latency, or by the device's rate, which was not measured: its worker was on "
            "a CPU for 10 % of the time and blocked for most of the rest; keep more reads in flight with more "
            "--workers.");
  run.device = DeviceShare{.used = 0.1};
  EXPECT_EQ(causes_text(run.causes(), "keep more reads in flight with more --workers", 1),
            " Loading is bound by storage latency: its worker was on a CPU for 10 % of the time and blocked for most "
            "of the rest; keep more reads in flight with more --workers.");
  EXPECT_EQ(causes_text(run.causes(), "keep more reads in flight with more --reads-in-flight", 16),
            " Loading is bound by storage latency: its workers were on a CPU for 10 % of the time and blocked for most "
            "of the rest; keep more reads in flight with more --reads-in-flight.");
  CellResult cell;
  EXPECT_EQ(more_reads_of(cell, Access::kMapped).how, "use a --loader that reads ahead");
  cell.cell.workers = 2;
  EXPECT_EQ(more_reads_of(cell, Access::kMapped).how, "keep more reads in flight with more --workers");
  EXPECT_EQ(more_reads_of(cell, Access::kFiles).how,
            "keep more reads in flight with more --workers or --loader flow-graph --read uring");
  cell.cell.dataset.read = FileRead::kUring;
  cell.cell.loader = "flow-graph";
  EXPECT_EQ(more_reads_of(cell, Access::kFiles).how, "keep more reads in flight with more --reads-in-flight");
}

// More of them used to be advised.
TEST(MoreReads, NeedMoreSlotsWhereWorkersWaitForThem) {
  Waiting run;
  for (Trial& trial : run.cell.trials) spend(trial, 2, {{WorkerStage::kSlotWait, 0.5}, {WorkerStage::kRead, 0.5}});
  EXPECT_EQ(more_reads_text(more_reads_of(run.cell, Access::kMapped), StorageRemedy::kFewerReadsOrBytes),
            "deepen --prefetch, as the workers wait for free slots");
  const Tried deeper{.name = "--prefetch 8 was", .gain = {.value = 1, .ci95 = Interval{0.99, 1.01}, .p = std::nullopt}};
  EXPECT_EQ(more_reads_text(more_reads_of(run.cell, Access::kMapped, {.more_prefetch = deeper}),
                            StorageRemedy::kFewerReadsOrBytes),
            "--prefetch 8 was no faster in this run, so use faster storage or a format with fewer reads or bytes per "
            "sample");
}

}  // namespace
}  // namespace loadline
