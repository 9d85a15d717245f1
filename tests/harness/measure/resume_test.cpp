#include "harness/measure/resume.h"

#include <gtest/gtest.h>

#include "harness/plan/settings.h"
#include "tests/harness/support/results.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

// Three cells and a ceiling with trials. prepared_to_resume() has the same cells and ceiling with nothing measured.
Result measured_before() {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {100, 110}},
                                   {.mode = Mode::kSynthetic, .rates = {200}},
                                   {.mode = Mode::kFull, .rates = {90, 80}, .loader = "thread-pool", .workers = 2}});
  test::add_ceiling(result, test::ceiling("memory-read", 1), {1e9, 1e9}, {});
  for (CellResult& cell : result.cells) {
    for (Trial& trial : cell.trials) trial.wall_seconds = 1;
  }
  result.run_id = "first";
  result.started = "2026-01-01T00:00:00Z";
  result.cells[0].first_epoch = FirstEpoch{.wall_seconds = 3};
  result.cells[0].trials[1].started_seconds = 7;
  result.cells[0].trials[1].first_batch_seconds = 0.5;
  result.cells[0].trials[1].wall_seconds = 2;
  result.cells[2].error = "broken";
  result.cells[2].stopped = Stopped::kError;
  result.cells[0].stopped = Stopped::kTimeLimit;
  result.datasets[0].found = {.pages = 10, .resident_pages = 3};
  return result;
}

Result prepared_to_resume() {
  Result result = measured_before();
  result.run_id = "second";
  result.started = "2026-01-02T00:00:00Z";
  result.datasets[0].found = {.pages = 10, .resident_pages = 10};
  for (CellResult& cell : result.cells) cell = {.cell = cell.cell, .slots = 5};
  for (CeilingResult& ceiling : result.ceilings) ceiling.trials.clear();
  return result;
}

test::Thrown refusal(const Result& earlier, Result here) {
  return test::thrown_by([&] { continue_from(earlier, "result.json", here); });
}

TEST(ContinueFrom, TakesOverWhatWasMeasured) {
  Result result = prepared_to_resume();
  EXPECT_DOUBLE_EQ(continue_from(measured_before(), "result.json", result), 9.5);
  EXPECT_EQ(result.run_id, "first");
  EXPECT_EQ(result.started, "2026-01-01T00:00:00Z");
  EXPECT_EQ(result.resumed, std::vector<std::string>{"2026-01-02T00:00:00Z"});
  EXPECT_EQ(result.datasets[0].found.resident_pages, 3U) << "before any part";
  EXPECT_EQ(result.cells[0].trials.size(), 2U);
  EXPECT_TRUE(result.cells[0].first_epoch.has_value());
  EXPECT_EQ(result.cells[0].stopped, std::nullopt);
  EXPECT_EQ(result.cells[0].slots, 5U) << "of this process";
  EXPECT_EQ(result.cells[2].error, "broken");
  EXPECT_EQ(result.ceilings[0].trials.size(), 2U);
  Result third = prepared_to_resume();
  third.started = "2026-01-03T00:00:00Z";
  continue_from(result, "result.json", third);
  EXPECT_EQ(third.resumed, (std::vector<std::string>{"2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"}));
}

// The warm-up before the clock starts may take longer than the first batch.
TEST(ContinueFrom, GoesOnAfterTheClockOfTheLatestTrialAndItsFill) {
  Result earlier = measured_before();
  earlier.cells[0].trials[1].clock_started_seconds = 12;
  Result here = prepared_to_resume();
  EXPECT_DOUBLE_EQ(continue_from(earlier, "result.json", here), 14);
  earlier.cells[0].trials[1].fill = Fill{.wall_seconds = 0.25};
  here = prepared_to_resume();
  EXPECT_DOUBLE_EQ(continue_from(earlier, "result.json", here), 14.25);
}

// It samples during the trial that was interrupted too. Times used to go backwards, and the samples of two parts were
// taken for those of one trial.
TEST(ContinueFrom, GoesOnAfterTheLastSampleOfTheMonitor) {
  Result earlier = measured_before();
  earlier.monitor = MonitorRecord{.times_seconds = {0, 8, 20}, .series = {}};
  Result here = prepared_to_resume();
  EXPECT_DOUBLE_EQ(continue_from(earlier, "result.json", here), 20);
  earlier.monitor->times_seconds = {0, 8};
  here = prepared_to_resume();
  EXPECT_DOUBLE_EQ(continue_from(earlier, "result.json", here), 9.5) << "a trial ended later";
  earlier.monitor->times_seconds = {};
  here = prepared_to_resume();
  EXPECT_DOUBLE_EQ(continue_from(earlier, "result.json", here), 9.5);
}

TEST(ContinueFrom, RefusesAnotherMachineBuildAndData) {
  Result other = prepared_to_resume();
  other.environment.machine.cpu_model = "Other CPU";
  other.environment.build.version = "1.2.4";
  other.datasets[0].fingerprint = 1;
  EXPECT_EQ(refusal(measured_before(), other),
            test::failed("result.json: cannot resume it: CPU was Example CPU and is Other CPU; fingerprint of "
                         "/data/mnist was 123456789abcdef0 and is 0000000000000001; version was 1.2.3 and is 1.2.4"));
  EXPECT_EQ(test::thrown_by([&] { continue_from(measured_before(), "result.json", other, RequiredMatch::kSameData); }),
            test::failed("result.json: cannot resume it: CPU was Example CPU and is Other CPU; fingerprint of "
                         "/data/mnist was 123456789abcdef0 and is 0000000000000001; version was 1.2.3 and is 1.2.4"))
      << "whatever is allowed";
}

// It used to mix trials of both.
TEST(ContinueFrom, RefusesARecordingThatHasChanged) {
  Result earlier = measured_before();
  earlier.named_files = {{.named_by = "replay:file=job.json", .path = "job.json", .hash = 1},
                         {.named_by = "replay:file=job.json,busy=poll", .path = "job.json", .hash = 1},
                         {.named_by = "./loader.so", .path = "/home/loader.so", .hash = 3}};
  Result other = prepared_to_resume();
  other.named_files = earlier.named_files;
  EXPECT_NO_THROW(continue_from(earlier, "result.json", other));
  other = prepared_to_resume();
  other.named_files = earlier.named_files;
  other.named_files[0].hash = other.named_files[1].hash = 2;
  EXPECT_EQ(refusal(earlier, other),
            test::failed("result.json: cannot resume it: job.json has changed: its hash was 0000000000000001 and is "
                         "0000000000000002"));
  EXPECT_NO_THROW(continue_from(measured_before(), "result.json", other)) << "it says nothing of files";
}

TEST(ContinueFrom, AcceptsAnotherBuildIfThatIsAllowedAndNamesIt) {
  Result second = prepared_to_resume();
  second.environment.build.version = "1.2.4";
  second.environment.machine.kernel_release = "6.2";
  EXPECT_EQ(refusal(measured_before(), second),
            test::failed("result.json: cannot resume it: version was 1.2.3 and is 1.2.4; kernel was unknown "
                         "and is 6.2; --allow-mismatch resumes anyway, and the result says so"));
  continue_from(measured_before(), "result.json", second, RequiredMatch::kSameData);
  EXPECT_EQ(second.cells[0].trials.size(), 2U);
  EXPECT_EQ(second.other_builds, std::vector<std::string>{"loadline 1.2.3"});
  Result third = prepared_to_resume();
  continue_from(second, "result.json", third, RequiredMatch::kSameData);
  EXPECT_EQ(third.other_builds, std::vector<std::string>{"loadline 1.2.4"}) << "and this one is 1.2.3 again";
}

TEST(ContinueFrom, NamesNoBuildIfItIsTheSame) {
  Result second = prepared_to_resume();
  continue_from(measured_before(), "result.json", second, RequiredMatch::kSameData);
  EXPECT_EQ(second.other_builds, std::vector<std::string>());
}

TEST(ContinueFrom, AcceptsAnotherHostOfTheSameKindAndNamesAll) {
  Result first = measured_before();
  first.environment.machine.hostname = "node1";
  Result second = prepared_to_resume();
  second.environment.machine.hostname = "node2";
  continue_from(std::move(first), "result.json", second);
  EXPECT_EQ(second.environment.machine.hostname, "node1, node2");
  Result third = prepared_to_resume();
  third.environment.machine.hostname = "node1";
  continue_from(std::move(second), "result.json", third);
  EXPECT_EQ(third.environment.machine.hostname, "node1, node2");
}

TEST(ContinueFrom, RefusesOtherCellsAndCeilings) {
  Result other = prepared_to_resume();
  other.cells[0].cell.sampler.batch_size = 7;
  other.ceilings.clear();
  EXPECT_EQ(refusal(measured_before(), other),
            test::failed("result.json: cannot resume it: different cells; different ceilings"));
}

TEST(CheckSameOptions, NamesEveryOptionThatDiffers) {
  RunOptions earlier{.workers = {1, 2}, .trials = 3, .output = "a.json"};
  RunOptions now = earlier;
  now.output = "b.json";
  now.quiet = true;
  now.time_limit = 60;
  EXPECT_NO_THROW(check_same_options(earlier, now, "a.json"));
  now.workers.clear();
  now.trials = 5;
  EXPECT_EQ(test::thrown_by([&] { check_same_options(earlier, now, "a.json"); }),
            test::usage("a.json: cannot resume with different options: --workers was 1,2 and is unset; --trials was 3 "
                        "and is 5"));
}

TEST(ArrangeLike, PutsCellsInTheOrderOfTheEarlierRun) {
  const RunOptions options{.loaders = {"thread-pool"}, .workers = {1, 2}};
  const PlanContext context{.threads_in_force = 2, .data_directory = "/data"};
  const Plan straight = make_plan(options, context);
  Result earlier;
  for (const Cell& cell : straight.cells) earlier.cells.insert(earlier.cells.begin(), {.cell = cell});
  earlier.cells[1].cell.axes = {"prefetch"};
  Plan plan = straight;
  arrange_like(earlier, plan);
  ASSERT_EQ(plan.cells.size(), earlier.cells.size());
  for (std::size_t i = 0; i < plan.cells.size(); ++i) EXPECT_EQ(key_of(plan.cells[i]), key_of(earlier.cells[i].cell));
  EXPECT_EQ(plan.cells[1].axes, std::vector<std::string>{"prefetch"});
  EXPECT_EQ(plan.cells[0].how_to_get_it, straight.cells[0].how_to_get_it);
}

TEST(IsFinished, WhenCompleteAndNotCutByTheTimeLimit) {
  Result result = measured_before();
  result.cells[0].stopped = Stopped::kTrials;
  EXPECT_FALSE(is_finished(result));
  result.status = Status::kComplete;
  EXPECT_TRUE(is_finished(result));
  result.cells[1].stopped = Stopped::kTimeLimit;
  EXPECT_FALSE(is_finished(result));
}

}  // namespace
}  // namespace loadline
