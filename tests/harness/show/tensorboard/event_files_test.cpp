#include "harness/show/tensorboard/event_files.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "tests/harness/show/report/runs.h"
#include "tests/harness/show/tensorboard/event_reader.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using tensorboard::SessionStartInfo;
using test::events_in;
using test::hparams_data;
using test::scalars_of;
using testing::ElementsAre;
using testing::FloatEq;
using testing::Pair;

constexpr double kStart = 1795255080;  // 2026-11-21T09:58:00Z

constexpr const char* kName = "events.out.tfevents.1795255080.node1.3fa2c1";

Result two_cells() {
  Result result = test::result_of({{.mode = Mode::kFull, .rates = {100, 200}, .loader = "thread-pool", .workers = 2},
                                   {.mode = Mode::kSynthetic, .rates = {400}}});
  result.run_id = "20261121T095800Z-3fa2c1";
  result.started = "2026-11-21T09:58:00Z";
  result.status = Status::kComplete;
  result.environment.machine.hostname = "node1";
  Trial& trial = result.cells[0].trials[1];  // 10,000 samples in 50 s
  trial.started_seconds = 10;
  trial.first_batch_seconds = 0.25;
  trial.wait = {.total_seconds = 20, .p99_seconds = 0.5};
  trial.stages = {{"host waits", 100, 20}, {"step", 100, 30}};
  return result;
}

const SessionStartInfo::Parameter* parameter_of(const SessionStartInfo& info, const std::string& name) {
  const auto found = std::ranges::find_if(info.hparams(), [&](const auto& one) { return one.key() == name; });
  return found == info.hparams().end() ? nullptr : &*found;
}

TEST(EventFiles, AreOneForEachCellAndOneForTheRun) {
  const auto files = event_files(two_cells());
  std::vector<std::string> paths;
  for (const EventFile& file : files) paths.push_back(file.path);
  const std::string run = "20261121T095800Z-3fa2c1/";
  EXPECT_THAT(paths, ElementsAre(run + kName, run + "mnist/FULL/thread-pool/workers:2/batch:100/" + kName,
                                 run + "mnist/SYNTHETIC/batch:100/" + kName));
}

TEST(EventFiles, HaveAStepPerTrialAtTheTimeOfItsEnd) {
  const auto files = event_files(two_cells());
  const auto events = events_in(files[1].events);
  ASSERT_EQ(events.size(), 6U);  // version, session, two trials, means, end
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_EQ(events[2].step(), 1);
  EXPECT_EQ(scalars_of(events[2])["trial/samples_per_second"], 100.0F);
  EXPECT_EQ(events[3].step(), 2);
  EXPECT_EQ(events[3].wall_time(), kStart + 60);
  EXPECT_THAT(scalars_of(events[3]),
              ElementsAre(Pair("step stages/host waits", FloatEq(0.4F)), Pair("step stages/step", FloatEq(0.6F)),
                          Pair("trial/first_batch_seconds", 0.25F), Pair("trial/samples_per_second", 200.0F),
                          Pair("trial/wait_p99_seconds", 0.5F), Pair("trial/waiting_share", FloatEq(0.4F))));
  EXPECT_THAT(scalars_of(events[4]),
              ElementsAre(Pair("mean/samples_per_second", 150.0F), Pair("mean/waiting_share", FloatEq(0.2F))));
  const auto end = hparams_data(events[5], "_hparams_/session_end_info").session_end_info();
  EXPECT_EQ(end.status(), tensorboard::STATUS_SUCCESS);
}

TEST(EventFiles, HaveNoWaitingWithoutALoaderAndNoPilot) {
  Result result = two_cells();
  result.cells[1].trials.push_back(result.cells[1].trials[0]);
  result.cells[1].trials[0].pilot = true;
  const auto events = events_in(event_files(result)[2].events);
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[2].step(), 1);
  EXPECT_THAT(scalars_of(events[2]), ElementsAre(Pair("trial/samples_per_second", 400.0F)));
  EXPECT_THAT(scalars_of(events[3]), ElementsAre(Pair("mean/samples_per_second", 400.0F)));
}

TEST(EventFiles, HaveTheSettingsOfTheirCellAsHyperparameters) {
  const auto files = event_files(two_cells());
  const auto experiment = hparams_data(events_in(files[0].events).at(1), "_hparams_/experiment").experiment();
  std::vector<std::string> names;
  for (const auto& info : experiment.hparam_infos()) names.push_back(info.name());
  EXPECT_THAT(names, testing::IsSupersetOf({"workload", "mode", "loader", "workers", "batch_size"}));
  EXPECT_EQ(experiment.metric_infos(0).name().tag(), "mean/samples_per_second");
  const auto full = hparams_data(events_in(files[1].events).at(1), "_hparams_/session_start_info").session_start_info();
  EXPECT_EQ(full.start_time_secs(), kStart);
  EXPECT_EQ(parameter_of(full, "loader")->value().string_value(), "thread-pool");
  EXPECT_EQ(parameter_of(full, "workers")->value().number_value(), 2);
  EXPECT_EQ(parameter_of(full, "batch_size")->value().number_value(), 100);
  const auto synthetic =
      hparams_data(events_in(files[2].events).at(1), "_hparams_/session_start_info").session_start_info();
  EXPECT_EQ(parameter_of(synthetic, "workers"), nullptr) << "which it has not";
}

TEST(EventFiles, MarkACellThatFailed) {
  Result result = two_cells();
  result.cells[0].error = "cannot open it";
  result.status = Status::kPartial;
  const auto files = event_files(result);
  const auto status = [](const EventFile& file) {
    return hparams_data(events_in(file.events).back(), "_hparams_/session_end_info").session_end_info().status();
  };
  EXPECT_EQ(status(files[1]), tensorboard::STATUS_FAILURE);
  EXPECT_EQ(status(files[2]), tensorboard::STATUS_UNKNOWN);
}

TEST(EventFiles, StayBelowTheirDirectory) {
  Result result = two_cells();
  result.cells[0].cell.loader = "../../x y.py:make";
  result.cells[1].cell.workload = "..";
  result.environment.machine.hostname = "a/b";
  const auto files = event_files(result);
  const std::string name = "events.out.tfevents.1795255080.a_b.3fa2c1";
  EXPECT_EQ(files[1].path, "20261121T095800Z-3fa2c1/mnist/FULL/__/__/x_y.py:make/workers:2/batch:100/" + name);
  EXPECT_EQ(files[2].path, "20261121T095800Z-3fa2c1/__/SYNTHETIC/batch:100/" + name);
}

TEST(EventFiles, AreSeparateForNamesThatGiveTheSamePath) {
  Result result = two_cells();
  result.cells[1] = result.cells[0];
  result.cells[0].cell.loader = "a b";
  result.cells[1].cell.loader = "a_b";
  const auto files = event_files(result);
  EXPECT_NE(files[1].path, files[2].path);
}

TEST(EventFiles, HaveTheSeriesOfTheMonitorInTheFileOfTheRun) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  Result result = two_cells();
  result.monitor = MonitorRecord{.times_seconds = {0, 0.5},
                                 .series = {{"cpu user", "cpu0", "share", "/proc/stat", {0.25, kUnknown}},
                                            {"reads", "sda", "bytes/s", "/proc/diskstats", {0, 4096}},
                                            {"page cache", "memory", "bytes", "/proc/meminfo", {kUnknown, 7}}}};
  const auto events = events_in(event_files(result)[0].events);
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[3].wall_time(), kStart + 0.5);
  EXPECT_EQ(events[3].step(), 1);
  EXPECT_THAT(scalars_of(events[2]),
              ElementsAre(Pair("cpu user (share)/cpu0", 0.25F), Pair("reads (bytes per s)/sda", 0.0F)));
  EXPECT_THAT(scalars_of(events[3]),
              ElementsAre(Pair("page cache (bytes)/the machine", 7.0F), Pair("reads (bytes per s)/sda", 4096.0F)));
}

TEST(EventFiles, HaveTheSharesOfTheLoadersStages) {
  Result result = two_cells();
  result.cells[0].trials[1].loader_stages = LoaderStages{
      {{.stage = WorkerStage::kDecode, .seconds = {10, 20}}, {.stage = WorkerStage::kIdle, .seconds = {5, 5}}}};
  const auto events = events_in(event_files(result)[1].events);
  EXPECT_EQ(scalars_of(events[2]).count("loader stages/decode"), 0U);
  EXPECT_EQ(scalars_of(events[3])["loader stages/decode"], 0.75F);
  EXPECT_EQ(scalars_of(events[3])["loader stages/idle"], 0.25F);
}

TEST(EventFiles, RefuseARunWithoutAStartTime) {
  Result result = two_cells();
  result.started = "yesterday";
  EXPECT_EQ(test::thrown_by([&] { event_files(result); }),
            test::failed("cannot write events: the run's start 'yesterday' is not a time"));
}

TrainingResult two_epochs() {
  TrainingResult result;
  result.run_id = "20261121T095800Z-3fa2c1";
  result.started = "2026-11-21T09:58:00Z";
  result.environment.machine.hostname = "node1";
  result.cell.cell = two_cells().cells[0].cell;
  result.classifies = true;
  result.epochs = {{.wall_seconds = 4, .wait_seconds = 1, .training = {.samples = 100, .loss_sum = 200, .correct = 25}},
                   {.wall_seconds = 2,
                    .wait_seconds = 0.5,
                    .training = {.samples = 100, .loss_sum = 100, .correct = 50},
                    .validation = Score{.samples = 10, .loss_sum = 15, .correct = 4},
                    .stages = {{"host waits", 10, 0.5}, {"forward", 10, 1}, {"other", 10, 0.5}}}};
  return result;
}

TEST(EventsOfATraining, HaveAStepPerEpoch) {
  TrainingResult result = two_epochs();
  const EventFile file = training_file(result);
  EXPECT_EQ(file.path, std::string("20261121T095800Z-3fa2c1/") + kName);
  const auto before = events_in(file.events);
  ASSERT_EQ(before.size(), 3U);
  EXPECT_EQ(before[0].file_version(), "brain.Event:2");
  EXPECT_GT(hparams_data(before[2], "_hparams_/session_start_info").session_start_info().hparams_size(), 5);
  const auto second = events_in(epoch_events(result, kStart + 6));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].step(), 2);
  EXPECT_EQ(second[0].wall_time(), kStart + 6);
  EXPECT_THAT(scalars_of(second[0]),
              ElementsAre(Pair("accuracy/training", 0.5F), Pair("accuracy/validation", FloatEq(0.4F)),
                          Pair("epoch/samples_per_second", 50.0F), Pair("epoch/seconds", 2.0F),
                          Pair("epoch/waiting_share", 0.25F), Pair("loss/training", 1.0F),
                          Pair("loss/validation", 1.5F), Pair("step stages/forward", 0.5F),
                          Pair("step stages/host waits", 0.25F), Pair("step stages/other", 0.25F)));
}

TEST(EventsOfATraining, HaveNoAccuracyWithoutLabels) {
  TrainingResult result = two_epochs();
  result.classifies = false;
  result.epochs.pop_back();
  EXPECT_THAT(scalars_of(events_in(epoch_events(result, 1))[0]),
              ElementsAre(Pair("epoch/samples_per_second", 25.0F), Pair("epoch/seconds", 4.0F),
                          Pair("epoch/waiting_share", 0.25F), Pair("loss/training", 2.0F)));
}

TEST(EventsOfATraining, EndWithSuccessWhereItIsComplete) {
  TrainingResult result = two_epochs();
  const auto status = [&] {
    return hparams_data(events_in(end_events(result, 1))[0], "_hparams_/session_end_info").session_end_info().status();
  };
  EXPECT_EQ(status(), tensorboard::STATUS_UNKNOWN);
  result.status = Status::kComplete;
  EXPECT_EQ(status(), tensorboard::STATUS_SUCCESS);
}

}  // namespace
}  // namespace loadline
