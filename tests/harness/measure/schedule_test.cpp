#include "harness/measure/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/harness/support/results.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::result_of;

TEST(TrialCounts, AreTheRequestedTrialsOrAPilotAndItsFreshTrials) {
  const auto counts = [](const RunOptions& options, Mode mode = Mode::kFull) {
    const TrialCounts found = trial_counts(options, mode);
    return std::pair(found.fewest, found.most);
  };
  EXPECT_EQ(counts({.trials = 7}), std::pair(7UL, 7UL));
  EXPECT_EQ(counts({.trials = 7, .until_ci = 0.01, .max_trials = 30}), std::pair(12UL, 30UL));
  EXPECT_EQ(counts({.trials = 1, .until_ci = 0.01, .max_trials = 30}), std::pair(10UL, 30UL));
  EXPECT_EQ(counts({.trials = 7, .until_ci = 0.01, .max_trials = 11}), std::pair(11UL, 11UL)) << "no room for a pilot";
  EXPECT_EQ(counts({.until_ci = 0.01}, Mode::kOverhead), std::pair(5UL, 5UL));
}

std::optional<Stopped> stop(const std::vector<double>& rates, const RunOptions& options, Mode mode = Mode::kFull) {
  CellResult cell = test::cell_result({.mode = mode, .rates = rates});
  mark_pilot(cell, options);
  return stop_of(cell, options);
}

TEST(StopOf, WaitsForTheRequestedTrials) {
  EXPECT_EQ(stop({100, 100}, {.trials = 3}), std::nullopt);
  EXPECT_EQ(stop({100, 900, 100}, {.trials = 3}), Stopped::kTrials);
}

// Mean 100, deviation 1.581. In one case of five the true deviation exceeds 1.552 times that, 2.454.
const std::vector<double> kPilot{98, 99, 100, 101, 102};

std::vector<double> pilot_and(const std::vector<double>& fresh) {
  std::vector<double> rates = kPilot;
  rates.insert(rates.end(), fresh.begin(), fresh.end());
  return rates;
}

TEST(PlannedTrials, AreThePilotAndAsManyAsItsSpreadRequires) {
  const auto planned = [](double until, std::size_t most) {
    return planned_trials(test::cell_result({.mode = Mode::kIo, .rates = pilot_and({7, 7, 7})}),
                          {.until_ci = until, .max_trials = most});
  };
  // 9 fresh trials give 2.306 * 2.454 / 3 = 1.886 on each side, 8 give 2.365 * 2.454 / 2.828 = 2.052.
  EXPECT_EQ(planned(0.02, 50), 14U);
  EXPECT_EQ(planned(0.0206, 50), 13U);
  EXPECT_EQ(planned(0.5, 50), 10U) << "5 fresh ones at least";
  EXPECT_EQ(planned(0.001, 50), 50U);
  EXPECT_EQ(planned(0.5, 9), 9U) << "there is no pilot";
}

TEST(StopOf, WaitsForAsManyFreshTrialsAsThePilotRequires) {
  const RunOptions until{.until_ci = 0.02};
  EXPECT_EQ(stop({100, 100, 100, 100}, until), std::nullopt);
  EXPECT_EQ(stop(pilot_and(std::vector<double>(8, 100)), until), std::nullopt) << "however narrow it is";
  EXPECT_EQ(stop(pilot_and(std::vector<double>(9, 100)), until), Stopped::kInterval);
  EXPECT_EQ(stop(pilot_and({90, 110, 90, 110, 90, 110, 90, 110, 100}), until), Stopped::kMaxTrials);
  EXPECT_EQ(stop({1, 2, 3, 4, 5}, until, Mode::kOverhead), Stopped::kTrials);
}

TEST(MarkPilot, MarksTheFirstTrialsOnceThereIsAFreshOne) {
  const auto pilots = [](std::size_t trials, const RunOptions& options) {
    CellResult cell = test::cell_result({.mode = Mode::kIo, .rates = std::vector<double>(trials, 100)});
    mark_pilot(cell, options);
    return std::ranges::count(cell.trials, true, &Trial::pilot);
  };
  EXPECT_EQ(pilots(5, {.until_ci = 0.02}), 0);
  EXPECT_EQ(pilots(6, {.until_ci = 0.02}), 5);
  EXPECT_EQ(pilots(12, {.trials = 8, .until_ci = 0.02}), 8);
  EXPECT_EQ(pilots(6, {}), 0);
  EXPECT_EQ(pilots(9, {.until_ci = 0.02, .max_trials = 9}), 0);
}

TEST(StopOf, EndsACellThatFailed) {
  CellResult cell = test::cell_result({.mode = Mode::kIo, .rates = {}});
  cell.error = "broken";
  EXPECT_EQ(stop_of(cell, {}), Stopped::kError);
}

Result prepared(std::size_t cells = 1) {
  return result_of(std::vector<test::CellRequest>(cells, {.mode = Mode::kSynthetic, .rates = {}}));
}

double seconds_of(const Result& result, const RunOptions& options, bool with_cells = true) {
  return schedule_of(result, options, with_cells, 0).most_seconds;
}

TEST(Schedule, CountsTheTrialsAndTheFirstEpochs) {
  // A step takes 0.1 s. Each of five trials takes 0.5 s, two steps to warm up, and a little to set up.
  EXPECT_NEAR(seconds_of(prepared(), {}), 5 * (0.5 + 2 * 0.1 + 0.02), 1e-9);
  EXPECT_NEAR(seconds_of(prepared(), {.trials = 1, .trial_batches = 7, .warm_up_batches = 0}), 0.7 + 0.02, 1e-9);
  EXPECT_NEAR(seconds_of(prepared(), {.trials = 1, .trial_seconds = 0.01, .warm_up_batches = 0}), 0.1 + 0.02, 1e-9)
      << "a trial has at least one step";
  Result full = result_of({{.mode = Mode::kFull, .rates = {}}});
  const RunOptions once{.trials = 1, .trial_batches = 1, .warm_up_batches = 0, .first_epoch_seconds = 2};
  EXPECT_NEAR(seconds_of(full, once), 0.1 + 0.02 + 2 + 0.02, 1e-9);
  full.cells[0].first_epoch = FirstEpoch();
  EXPECT_NEAR(seconds_of(full, once), 0.1 + 0.02, 1e-9) << "it is there already";
}

TEST(Schedule, CountsEveryPartOfAStepOfTheDevice) {
  Result result = prepared();
  const RunOptions options{.trials = 1, .trial_batches = 12, .warm_up_batches = 0};
  // Each of two devices takes every other batch of 100 samples: it copies 1,600 bytes in 16 ms and steps for 100 ms.
  result.cells[0].cell.compute = "device:samples_per_second=1000,devices=2,depth=0,copy_bytes_per_second=100000";
  EXPECT_NEAR(seconds_of(result, options), 6 * 0.116 + 0.02, 1e-9);
  result.cells[0].cell.compute = "device:profile=mlperf-cosmoflow-h100";
  EXPECT_NEAR(seconds_of(result, options), 12 * 0.35 + 0.02, 1e-9);
}

TEST(Schedule, CountsTheFillingAfterIo) {
  Result io = result_of({{.mode = Mode::kIo, .rates = {}}});
  io.cells[0].cell.compute = "drain";
  const RunOptions once{.trials = 1, .trial_seconds = 2, .first_epoch_seconds = 0};
  EXPECT_NEAR(seconds_of(io, once), 2 + 1 + 0.02, 1e-9);
  io.cells[0].cell.cache = CacheState::kCold;
  EXPECT_NEAR(seconds_of(io, once), 2 + 0.02, 1e-9) << "a cold trial has no such part";
}

TEST(Schedule, CountsTheBatchesOfALoaderThatIsSlowerThanTheStep) {
  const RunOptions once{.trials = 1, .trial_seconds = 1, .warm_up_batches = 2, .first_epoch_seconds = 0};
  Result full = result_of({{.mode = Mode::kFull, .rates = {}, .workers = 3}});
  Cell& cell = full.cells[0].cell;
  cell.threads_in_force = 2;
  const auto tried = [&](double fill_seconds) {
    return TriedCells{{compute_key(cell), {.open_seconds = 7, .fill_seconds = fill_seconds}}};
  };
  const auto seconds = [&](const RunOptions& options, double fill_seconds) {
    return schedule_of(full, options, true, 0, tried(fill_seconds)).most_seconds;
  };
  EXPECT_NEAR(seconds(once, 0.01), 2 * 0.1 + 1 + 0.02, 1e-9);
  EXPECT_NEAR(seconds(once, 5), 2 * 2.5 + 2.5 + 0.02, 1e-9) << "three workers share two CPUs";
  RunOptions with_epoch = once;
  with_epoch.first_epoch_seconds = 2;
  EXPECT_NEAR(seconds(with_epoch, 5) - seconds(once, 5), 7 + 2 + 0.02, 1e-9) << "the dataset is opened anew";
  Result io = result_of({{.mode = Mode::kIo, .rates = {}}});
  io.cells[0].slots = 4;
  const TriedCells slow{{compute_key(io.cells[0].cell), {.fill_seconds = 0.1}}};
  // Two batches to warm up, ten timed; then four slots circulate and ten batches fill.
  EXPECT_NEAR(schedule_of(io, once, true, 0, slow).most_seconds, 0.2 + 1 + 0.4 + 1 + 0.02, 1e-9);
}

TEST(RoundSeconds, JudgesByTheFirstEpochsSoFar) {
  const RunOptions once{.trials = 1, .trial_seconds = 1, .warm_up_batches = 2};
  Result two = result_of({{.mode = Mode::kIo, .rates = {}, .workers = 2}, {.mode = Mode::kIo, .rates = {}}});
  for (CellResult& cell : two.cells) {
    cell.cell.threads_in_force = 2;
    cell.slots = 4;
  }
  const TriedCells tried{{compute_key(two.cells[0].cell), {.fill_seconds = 0.1}}};
  ASSERT_EQ(compute_key(two.cells[0].cell), compute_key(two.cells[1].cell));
  // Two batches to warm up, a second timed, four slots and as long again; two threads take half as long over a batch.
  EXPECT_NEAR(round_seconds(two, once, tried), (6 * 0.05 + 2 + 0.02) + (6 * 0.1 + 2 + 0.02), 1e-9);
  two.cells[0].first_epoch = FirstEpoch{.wall_seconds = 2, .batches = 10};
  EXPECT_NEAR(round_seconds(two, once, tried), (6 * 0.2 + 2 + 0.02) + (6 * 0.4 + 2 + 0.02), 1e-9)
      << "both take four times as long";
  two.cells[0].cell.compute = two.cells[1].cell.compute = "device:samples_per_second=500";
  const TriedCells with_step{{compute_key(two.cells[0].cell), {.fill_seconds = 0.1}}};
  EXPECT_NEAR(round_seconds(two, once, with_step), 2 * (6 * 0.2 + 2 + 0.02), 1e-9) << "the step of 0.2 s was the limit";
}

// A cnn that took 1.5 s to make and 0.7 s per step when it was tried.
constexpr TriedCell kSlow{.setup_seconds = 1.5, .step_seconds = 0.7};

TEST(Schedule, CountsTheStepsOfAComputeThatWasTried) {
  Result result = prepared();
  result.cells[0].cell.compute = "cnn:network=lenet";
  const TriedCells tried{{compute_key(result.cells[0].cell), kSlow}};
  const RunOptions options{.trials = 2, .trial_seconds = 0.5};
  const Schedule unknown = schedule_of(result, options, true, 0);
  EXPECT_TRUE(unknown.open_ended);
  EXPECT_NEAR(unknown.most_seconds, 2 * (0.5 + 0.02), 1e-9);
  const Schedule known = schedule_of(result, options, true, 0, tried);
  EXPECT_FALSE(known.open_ended);
  EXPECT_NEAR(known.most_seconds, 2 * (0.7 + 2 * 0.7 + 1.5 + 0.02), 1e-9) << "a trial has one step at least";
}

TEST(Schedule, IsOpenEndedIfAStepTakesAnUnknownTime) {
  Result result = prepared();
  const auto is_open_ended = [&](const std::string& compute) {
    result.cells[0].cell.compute = compute;
    return schedule_of(result, {}, true, 0).open_ended;
  };
  EXPECT_TRUE(is_open_ended("train.py:make_step"));
  EXPECT_TRUE(is_open_ended("replay:file=job.json"));
  EXPECT_FALSE(is_open_ended("device:samples_per_second=1000"));
  EXPECT_FALSE(is_open_ended("drain")) << "reading a batch takes next to no time";
}

TEST(Schedule, IsOpenEndedIfALoaderDecodesImages) {
  Result full = result_of({{.mode = Mode::kFull, .rates = {}}});
  EXPECT_FALSE(schedule_of(full, {}, true, 0).open_ended);
  full.datasets[0].info.encoded = true;
  EXPECT_TRUE(schedule_of(full, {}, true, 0).open_ended);
  Result synthetic = prepared();
  synthetic.datasets[0].info.encoded = true;
  EXPECT_FALSE(schedule_of(synthetic, {}, true, 0).open_ended) << "it decodes no more than one batch";
}

TEST(Schedule, EndsAColdTrialWithItsEpochAndWithoutAWarmUp) {
  Result result = result_of({{.mode = Mode::kFull, .rates = {}}});
  result.datasets[0].info.samples = 300;  // three batches
  CellResult& cell = result.cells[0];
  cell.cell.cache = CacheState::kCold;
  cell.slots = 18;
  EXPECT_NEAR(trial_seconds(cell, result.datasets[0].info, {.trial_seconds = 5}), 3 * 0.1 + 0.02, 1e-9);
  EXPECT_NEAR(trial_seconds(cell, result.datasets[0].info, {.trial_seconds = 0.2}), 0.2 + 0.02, 1e-9);
  cell.cell.cache = CacheState::kWarm;
  EXPECT_NEAR(trial_seconds(cell, result.datasets[0].info, {.trial_seconds = 5}), 5 + 19 * 0.1 + 0.02, 1e-9);
}

TEST(Schedule, CountsTwoChecksOfEachWorkload) {
  const Result full = result_of({{.mode = Mode::kFull, .rates = {}}, {.mode = Mode::kFull, .rates = {}, .workers = 2}});
  const RunOptions options{.trials = 3, .first_epoch_seconds = 0};
  RunOptions checking = options;
  checking.check_verdict = true;
  const double trial = 0.5 + 2 * 0.1 + 0.02;
  EXPECT_NEAR(seconds_of(full, options), 2 * 3 * trial, 1e-9);
  EXPECT_NEAR(seconds_of(full, checking), (2 + 2) * 3 * trial, 1e-9);
  checking.time_limit = 5;
  EXPECT_NEAR(seconds_of(full, checking), 5, 1e-9) << "they have the time that is left";
}

TEST(Schedule, CountsTheCeilingsToo) {
  Result result = prepared();
  const double without = seconds_of(result, {});
  test::add_ceiling(result, test::ceiling("memory-read", 1), {}, {});
  const double set_up = 0.03 + 4 * 1024 * 1024 / 2e9;  // four times the last-level cache are faulted in
  EXPECT_NEAR(seconds_of(result, {}, false), 5 * (0.15 + set_up), 1e-9);
  EXPECT_NEAR(seconds_of(result, {}), without + 5 * (0.15 + set_up), 1e-9);
  EXPECT_NEAR(seconds_of(result, {.trials = 1, .trial_seconds = 0.01}, false), 0.01 + set_up, 1e-9);
}

TEST(Schedule, HasTwoEndsIfItWaitsForIntervals) {
  const Schedule schedule = schedule_of(prepared(2), {.until_ci = 0.01, .max_trials = 20}, true, 0);
  EXPECT_EQ(schedule.trials.fewest, 10U);
  EXPECT_EQ(schedule.trials.most, 20U);
  EXPECT_EQ(schedule.asked, 20U);
  EXPECT_NEAR(schedule.fewest_seconds, 2 * 10 * 0.72, 1e-9);
  EXPECT_NEAR(schedule.most_seconds, 2 * 20 * 0.72, 1e-9);
}

// Two cells with trials of 0.72 s make rounds of 1.44 s.
TEST(Schedule, HasAsManyTrialsAsFitTheTimeLimit) {
  const auto trials = [](double limit, double spent = 0) {
    const Schedule schedule = schedule_of(prepared(2), {.time_limit = limit}, true, spent);
    EXPECT_EQ(schedule.asked, 5U);
    EXPECT_LE(spent + schedule.most_seconds, limit);
    return schedule.trials.most;
  };
  EXPECT_EQ(trials(100), 5U);
  EXPECT_EQ(trials(7.21), 5U);
  EXPECT_EQ(trials(7.19), 4U);
  EXPECT_EQ(trials(1.45), 1U);
  EXPECT_EQ(trials(7.21, 1), 4U) << "what was spent on reading the data is gone";
  const Schedule both = schedule_of(prepared(2), {.time_limit = 3, .until_ci = 0.01, .max_trials = 20}, true, 0);
  EXPECT_EQ(both.trials.fewest, 2U);
  EXPECT_EQ(both.trials.most, 2U);
  EXPECT_EQ(both.asked, 20U);
}

TEST(Schedule, LeavesOutFirstEpochsRatherThanTrials) {
  const Result full = result_of({{.mode = Mode::kFull, .rates = {}}});
  EXPECT_EQ(schedule_of(full, {.time_limit = 0.8}, true, 0).trials.most, 1U);
}

TEST(Schedule, RefusesALimitThatIsTooShortForOneTrialOfEachCell) {
  EXPECT_EQ(test::thrown_by([] { schedule_of(prepared(2), {.time_limit = 1.43}, true, 0); }),
            test::usage("--time-limit 1.43s: one trial of each of 2 cells takes about 1.4 s; allow more time, choose "
                        "fewer cells or shorten --trial-seconds"));
  EXPECT_EQ(test::thrown_by([] { schedule_of(prepared(2), {.time_limit = 3}, true, 2.5); }),
            test::usage("--time-limit 3s: one trial of each of 2 cells takes about 1.4 s and reading the data took 2.5 "
                        "s; allow more time, choose fewer cells or shorten --trial-seconds"));
  Result with_ceiling = prepared(2);
  test::add_ceiling(with_ceiling, test::ceiling("gather", 1), {}, {0});
  EXPECT_THAT(
      test::thrown_by([&] { schedule_of(with_ceiling, {.time_limit = 0.5}, true, 0); }).message,
      testing::AllOf(testing::HasSubstr("one trial of each of 2 cells and 1 ceiling takes about "),
                     testing::EndsWith("allow more time, choose fewer cells, shorten --trial-seconds or leave the "
                                       "ceilings out by --ceilings off")));
}

TEST(Schedule, LeavesOutExistingTrials) {
  const Result half = result_of({{.mode = Mode::kSynthetic, .rates = {100, 100, 100, 100, 100}},
                                 {.mode = Mode::kSynthetic, .rates = {100, 100}}});
  const Schedule schedule = schedule_of(half, {}, true, 0);
  EXPECT_EQ(schedule.there, 7U);
  EXPECT_NEAR(schedule.most_seconds, 3 * 0.72, 1e-9);
  const Schedule limited = schedule_of(half, {.time_limit = 1.45}, true, 0);
  EXPECT_EQ(limited.trials.most, 4U);
}

}  // namespace
}  // namespace loadline
