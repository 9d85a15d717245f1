#include "harness/judge/loader_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/judge/judgement.h"
#include "tests/harness/support/loader_stages.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::spend;
using Spending = std::vector<std::pair<WorkerStage, double>>;

CellResult loading_cell(std::size_t workers, std::vector<double> rates = {1000, 1000, 1000}) {
  return test::cell_result({.mode = Mode::kFull,
                            .rates = std::move(rates),
                            .loader = workers == 0 ? "serial" : "thread-pool",
                            .workers = workers});
}

constexpr LoaderSetting kRoomy{.mode = Mode::kFull, .maps_files = false, .threads = 3, .cpus = 4};

std::string said_of(std::size_t workers, const Spending& shares, Bound bound, const LoaderSetting& setting = kRoomy) {
  CellResult cell = loading_cell(workers);
  for (Trial& trial : cell.trials) spend(trial, workers, shares);
  return loader_time_sentence(*loader_time_of(cell), bound, setting);
}

const StageShare& share_of(WorkerStage stage, const LoaderTime& time) {
  const auto found = std::ranges::find(time.stages, stage, &StageShare::stage);
  if (found == time.stages.end()) throw std::out_of_range("no such stage");
  return *found;
}

TEST(LoaderTime, IsTheMeanShareOfTheTrialsWithItsInterval) {
  CellResult cell = loading_cell(2);
  spend(cell.trials[0], 2, {{WorkerStage::kDecode, 0.75}, {WorkerStage::kRead, 0.25}});
  spend(cell.trials[1], 2, {{WorkerStage::kDecode, 0.80}, {WorkerStage::kRead, 0.20}});
  spend(cell.trials[2], 2, {{WorkerStage::kDecode, 0.85}, {WorkerStage::kRead, 0.15}});
  const LoaderTime time = *loader_time_of(cell);
  EXPECT_EQ(time.workers, 2U);
  EXPECT_EQ(time.stages.size(), 12U) << "all but the one of other loaders";
  const StageShare& decode = share_of(WorkerStage::kDecode, time);
  EXPECT_NEAR(decode.share.value, 0.8, 1e-12);
  // 4.303 x 0.05 / sqrt(3).
  EXPECT_NEAR(decode.share.ci95->high - decode.share.value, 0.1242, 1e-4);
  // Trials of 10 s and 10,000 samples with two workers.
  EXPECT_NEAR(decode.seconds_per_sample, 0.8 * 2 * 10 / 10'000, 1e-12);
}

TEST(LoaderTime, LeavesOutPilotsAndIsAbsentWhereATrialHasNoStages) {
  CellResult cell = loading_cell(1);
  for (Trial& trial : cell.trials) spend(trial, 1, {{WorkerStage::kDecode, 1}});
  spend(cell.trials[0], 1, {{WorkerStage::kRead, 1}});
  cell.trials[0].pilot = true;
  EXPECT_DOUBLE_EQ(share_of(WorkerStage::kDecode, *loader_time_of(cell)).share.value, 1);
  cell.trials[2].loader_stages.reset();
  EXPECT_FALSE(loader_time_of(cell).has_value());
  EXPECT_FALSE(loader_time_of(loading_cell(1, {})).has_value());
}

TEST(LoaderTime, IsAShareOfTheWallTimeWhereOtherStagesAreUnknown) {
  CellResult cell = loading_cell(1);
  for (Trial& trial : cell.trials) {
    trial.loader_stages = LoaderStages{{{.stage = WorkerStage::kRead, .seconds = {trial.wall_seconds / 4}}}};
  }
  EXPECT_DOUBLE_EQ(loader_time_of(cell)->stages[0].share.value, 0.25);
}

TEST(LoaderTimeSentence, NamesWhatALimitingLoaderSpendsItsTimeOn) {
  EXPECT_EQ(said_of(2, {{WorkerStage::kDecode, 0.78}, {WorkerStage::kTransform, 0.22}}, Bound::kLoader),
            " In FULL the 2 workers spend 78.0 ± 0.0 % of their time decoding.");
  EXPECT_EQ(said_of(1, {{WorkerStage::kTransform, 0.4}, {WorkerStage::kRead, 0.6}}, Bound::kInterference),
            " In FULL the worker spends 60.0 ± 0.0 % of its time reading and 40.0 ± 0.0 % transforming.");
}

TEST(LoaderTimeSentence, LeavesOutTheConsumersWorkForALoaderOnItsThread) {
  EXPECT_EQ(said_of(0, {{WorkerStage::kDecode, 0.3}, {WorkerStage::kIdle, 0.7}}, Bound::kLoader),
            " In FULL the thread spends 30.0 ± 0.0 % of its time decoding.");
  EXPECT_EQ(said_of(0, {{WorkerStage::kDecode, 0.1}, {WorkerStage::kIdle, 0.9}}, Bound::kCompute), "");
}

TEST(LoaderTimeSentence, SaysThatMappedDataIsReadWhereItIsTouched) {
  LoaderSetting mapped = kRoomy;
  mapped.maps_files = true;
  EXPECT_EQ(said_of(1, {{WorkerStage::kTransform, 1}}, Bound::kLoader, mapped),
            " In FULL the worker spends 100.0 ± 0.0 % of its time transforming (which reads the mapped data too).");
  EXPECT_EQ(said_of(1, {{WorkerStage::kTransform, 0.3}, {WorkerStage::kDecode, 0.7}}, Bound::kLoader, mapped),
            " In FULL the worker spends 70.0 ± 0.0 % of its time decoding (which reads the mapped data too) and "
            "30.0 ± 0.0 % transforming.");
}

TEST(LoaderTimeSentence, SaysThatTimeIncludesWaitingForASharedCpu) {
  LoaderSetting crowded = kRoomy;
  crowded.cpus = 2;
  EXPECT_EQ(said_of(2, {{WorkerStage::kDecode, 0.9}, {WorkerStage::kRead, 0.1}}, Bound::kLoader, crowded),
            " In FULL the 2 workers spend 90.0 ± 0.0 % of their time decoding (waiting for a CPU included).");
  crowded.maps_files = true;
  EXPECT_EQ(said_of(2, {{WorkerStage::kTransform, 1}}, Bound::kLoader, crowded),
            " In FULL the 2 workers spend 100.0 ± 0.0 % of their time transforming (which reads the mapped data too; "
            "waiting for a CPU included).");
}

TEST(LoaderTimeSentence, SaysThatTimeIncludesWaitingForACpuThatOthersTook) {
  LoaderSetting disturbed = kRoomy;
  disturbed.disturbed = true;
  EXPECT_EQ(
      said_of(1, {{WorkerStage::kHandOver, 0.6}, {WorkerStage::kRead, 0.4}}, Bound::kLoader, disturbed),
      " In FULL the worker spends 60.0 ± 0.0 % of its time handing batches over and 40.0 ± 0.0 % reading (waiting "
      "for a CPU included).");
}

TEST(LoaderTimeSentence, NamesTheOneLockThatWorkersWaitFor) {
  EXPECT_EQ(said_of(4, {{WorkerStage::kLibraryLock, 0.61}, {WorkerStage::kRead, 0.39}}, Bound::kLoader),
            " One lock: in FULL 61.0 ± 0.0 % of the time of 4 workers goes into waiting for the HDF5 library, which "
            "serves one thread at a time.");
  EXPECT_EQ(said_of(2, {{WorkerStage::kLibraryLock, 0.4}, {WorkerStage::kRead, 0.6}}, Bound::kLoader),
            " In FULL the 2 workers spend 60.0 ± 0.0 % of their time reading and 40.0 ± 0.0 % waiting for the HDF5 "
            "library.");
}

TEST(LoaderTimeSentence, SaysWhatHoldsTheSlotsThatWorkersWaitFor) {
  const Spending waiting{{WorkerStage::kSlotWait, 0.6}, {WorkerStage::kDecode, 0.4}};
  EXPECT_EQ(
      said_of(2, waiting, Bound::kCompute),
      " In FULL the 2 workers spend 60.0 ± 0.0 % of their time waiting for free slots: the compute is the limit.");
  const Spending busy{{WorkerStage::kSlotWait, 0.1}, {WorkerStage::kDecode, 0.9}};
  EXPECT_EQ(said_of(2, busy, Bound::kCompute), "") << "faster decoding would not help";
  LoaderSetting io{.mode = Mode::kIo, .threads = 3, .cpus = 4, .consumer_waits = 0.01};
  EXPECT_EQ(said_of(2, waiting, Bound::kIncomplete, io),
            " In IO the 2 workers spend 60.0 ± 0.0 % of their time waiting for free slots and 40.0 ± 0.0 % decoding: "
            "the consumer, which reads what they deliver, is the limit.");
  io.consumer_waits = 0.3;
  EXPECT_EQ(said_of(2, waiting, Bound::kIncomplete, io),
            " In IO the 2 workers spend 60.0 ± 0.0 % of their time waiting for free slots and 40.0 ± 0.0 % decoding.")
      << "one batch that takes long may be what all wait for";
}

TEST(LoaderTimeSentence, SaysWhatALateReadHoldsBack) {
  const Spending held_up{{WorkerStage::kWindowWait, 0.7}, {WorkerStage::kDecode, 0.3}};
  LoaderSetting io{.mode = Mode::kIo, .threads = 2, .cpus = 4};
  EXPECT_EQ(said_of(1, held_up, Bound::kIncomplete, io),
            " In IO the worker spends 70.0 ± 0.0 % of its time waiting for late reads with every slot in use and "
            "30.0 ± 0.0 % decoding. Batches go out in order, so a late read holds back those behind it until they fill "
            "all slots: deepen --prefetch, or let batches overtake with --delivery completion.");
  io.in_order = false;
  EXPECT_EQ(said_of(1, held_up, Bound::kIncomplete, io),
            " In IO the worker spends 70.0 ± 0.0 % of its time waiting for late reads with every slot in use and "
            "30.0 ± 0.0 % decoding. Batches that wait for late reads fill all slots: deepen --prefetch.");
  io.storage_binds = true;
  EXPECT_EQ(said_of(1, held_up, Bound::kIncomplete, io),
            " In IO the worker spends 70.0 ± 0.0 % of its time waiting for late reads with every slot in use and "
            "30.0 ± 0.0 % decoding.")
      << "more slots would hold more reads";
}

TEST(LoaderTimeSentence, IsEmptyWhereNoStageTakesAQuarterOrNothingIsKnown) {
  EXPECT_EQ(said_of(2,
                    {{WorkerStage::kRead, 0.24},
                     {WorkerStage::kDecode, 0.24},
                     {WorkerStage::kTransform, 0.24},
                     {WorkerStage::kOpen, 0.24},
                     {WorkerStage::kOrder, 0.04}},
                    Bound::kLoader),
            "");
  EXPECT_EQ(said_of(2, {{WorkerStage::kDecode, 1}}, Bound::kHarness), "");
  CellResult foreign = loading_cell(0);
  for (Trial& trial : foreign.trials) trial.loader_stages = loader_stages_of_next_calls(9, 10);
  EXPECT_EQ(loader_time_sentence(*loader_time_of(foreign), Bound::kLoader, kRoomy), "");
}

TEST(LoaderTimeSentence, IsEmptyWhereSharesAreTooNoisy) {
  CellResult cell = loading_cell(1, {1000, 1000});
  spend(cell.trials[0], 1, {{WorkerStage::kDecode, 0.3}, {WorkerStage::kRead, 0.7}});
  spend(cell.trials[1], 1, {{WorkerStage::kDecode, 0.7}, {WorkerStage::kRead, 0.3}});
  EXPECT_EQ(loader_time_sentence(*loader_time_of(cell), Bound::kLoader, kRoomy), "");
}

TEST(LoaderSetting, KnowsWhetherOthersTookTheCpus) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {1000}, .loader = "thread-pool", .workers = 1}});
  Trial& trial = result.cells[0].trials[0];
  trial.usage.idle_seconds = 0;
  trial.usage.run_delay_seconds = 0.04 * 4 * trial.wall_seconds;  // on 4 CPUs
  EXPECT_FALSE(loader_setting_of(result, result.cells[0]).disturbed);
  trial.usage.run_delay_seconds = 0.06 * 4 * trial.wall_seconds;
  EXPECT_TRUE(loader_setting_of(result, result.cells[0]).disturbed);
}

TEST(LoaderSetting, KnowsMappedDataAndWhetherThreadsShareCpus) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {1000}, .loader = "thread-pool", .workers = 4}});
  result.cells[0].trials[0].wait.total_seconds = 2.5;
  LoaderSetting setting = loader_setting_of(result, result.cells[0]);
  EXPECT_TRUE(setting.maps_files);
  EXPECT_TRUE(setting.shares_cpus()) << "5 threads on 4 CPUs";
  EXPECT_DOUBLE_EQ(setting.consumer_waits, 0.25);
  result.cells[0].cell.placement.worker_cpus = {0, 1, 2, 3};
  EXPECT_FALSE(loader_setting_of(result, result.cells[0]).shares_cpus());
  result.datasets[0].info.access = Access::kFiles;
  EXPECT_FALSE(loader_setting_of(result, result.cells[0]).maps_files);
  result.cells[0].cell.dataset.read = FileRead::kMmap;
  EXPECT_TRUE(loader_setting_of(result, result.cells[0]).maps_files);
  result.datasets[0].info.access = Access::kResident;
  EXPECT_FALSE(loader_setting_of(result, result.cells[0]).maps_files);
}

}  // namespace
}  // namespace loadline
