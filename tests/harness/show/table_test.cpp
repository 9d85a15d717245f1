#include "harness/show/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/show/schedule_text.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::overhead;
using test::result_of;

std::optional<Summary> summary(std::initializer_list<double> rates) {
  return summarize(std::vector<double>(rates));
}

TEST(RateText, ShowsFourFiguresAndTheDeviationToTheSamePlace) {
  EXPECT_EQ(rate_text(summary({12.1e6, 12.3e6, 12.5e6})), "12.30 ± 0.20 M");
  EXPECT_EQ(rate_text(summary({150e3, 150.1e3})), "150.1 ± 0.1 k");
  EXPECT_EQ(rate_text(summary({984, 987, 990})), "987.0 ± 3.0");
  EXPECT_EQ(rate_text(summary({2.5e9, 2.5e9})), "2.500 ± 0.000 G");
}

// Short ones used to be "1000 ± 0 k" beside "1.00 ± 0.00 M".
TEST(RateText, HasTheUnitThatItRoundsUpTo) {
  EXPECT_EQ(short_rate_text(summary({999.6e3, 999.6e3})), "1.00 ± 0.00 M");
  EXPECT_EQ(short_rate_text(summary({999.4e3, 999.4e3})), "999 ± 0 k");
  EXPECT_EQ(short_rate_text(summary({999.6})), "1.00 k");
  EXPECT_EQ(rate_text(summary({999.6e3})), "999.6 k");
  EXPECT_EQ(rate_text(summary({999.96e3})), "1.000 M");
  EXPECT_EQ(rate_text(summary({999.96e9})), "1000 G");
  EXPECT_EQ(rate_text(summary({9.9996e3})), "10.00 k");
  EXPECT_EQ(short_rate_text(summary({99.96e3})), "100 k");
}

TEST(RateText, HasNoDeviationForOneTrial) {
  EXPECT_EQ(rate_text(summary({1234567})), "1.235 M");
  EXPECT_EQ(rate_text(summary({0.5})), "0.500");
}

TEST(RateText, IsADashWithoutTrials) {
  EXPECT_EQ(rate_text({}), "-");
}

Result three_modes() {
  return result_of({
      {.mode = Mode::kIo, .rates = {1800, 2000, 2200}},
      {.mode = Mode::kIo, .rates = {1.5e6, 1.5e6, 1.5e6}, .loader = "thread-pool", .workers = 12},
      {.mode = Mode::kSynthetic, .rates = {1000, 1000, 1000}},
      {.mode = Mode::kFull, .rates = {799, 800, 801}},
      {.mode = Mode::kFull, .rates = {999, 999, 999}, .loader = "thread-pool", .workers = 12},
      overhead(),
  });
}

TEST(TableText, HasARowPerConfiguration) {
  const Result result = three_modes();
  EXPECT_EQ(table_text(result, judge_run(result)),
            "samples/s, mean ± standard deviation of the trials\n"
            "\n"
            "workload  loader            batch               IO        SYNTHETIC         FULL         stall\n"
            "mnist     serial              100  2.000 ± 0.200 k  1.000 ± 0.000 k  800.0 ± 1.0  20.0 ± 0.2 %\n"
            "mnist     thread-pool x 12    100  1.500 ± 0.000 M  1.000 ± 0.000 k  999.0 ± 0.0   0.1 ± 0.0 %\n"
            "\n"
            "±: for rates in this table, the standard deviation of the trials; for shares and in sentences, the 95 % "
            "interval\n");
}

TEST(TableText, HasAnEnergyColumnWhereEnergyIsKnown) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 1000}},
                             {.mode = Mode::kIo, .rates = {1000, 1000}, .loader = "thread-pool", .workers = 1}});
  for (Trial& trial : result.cells[0].trials) trial.energy = EnergyUse{.cpu_joules = 25, .gpu_joules = 10};
  const std::string text = table_text(result, judge_run(result));
  EXPECT_THAT(text, testing::HasSubstr("workload  loader           batch               IO  J/1,000\n"
                                       "mnist     serial             100  1.000 ± 0.000 k      3.5\n"
                                       "mnist     thread-pool x 1    100  1.000 ± 0.000 k        -\n"));
  EXPECT_THAT(
      text, testing::HasSubstr(
                "\nJ/1,000: joules of CPUs and GPUs per 1,000 samples, for FULL where measured; mean of the trials\n"));
}

TEST(TableText, HasManyJoulesWithoutAnExponent) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 1000}}});
  for (Trial& trial : result.cells[0].trials) trial.energy = EnergyUse{.gpu_joules = 25'000};
  EXPECT_THAT(table_text(result, judge_run(result)), testing::HasSubstr("     2500\n"));
}

Result with_cold() {
  Result result = three_modes();
  result.cells.push_back(result.cells[4]);
  result.cells.back().cell.cache = CacheState::kCold;
  result.cells.back().trials.clear();
  for (const double rate : {333, 333, 333}) result.cells.back().trials.push_back(test::trial_of(rate, 100));
  for (CellResult& cell : result.cells) cell.cell.axes = {"cache"};
  return result;
}

TEST(TableText, HasATokenTableWhereSamplesHaveTokens) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 1000}}});
  EXPECT_THAT(table_text(result, judge_run(result)), testing::Not(testing::HasSubstr("tokens")));
  result.cells[0].cell.dataset.sequence_length = 64;
  for (Trial& trial : result.cells[0].trials) {
    trial.tokens = trial.samples * 48;
    trial.padding = trial.samples * 16;
  }
  EXPECT_THAT(
      table_text(result, judge_run(result)),
      testing::HasSubstr(
          "\ntokens/s: tokens that samples predict; length: tokens per sample; padding: share of empty places\n\n"));
  EXPECT_THAT(table_text(result, judge_run(result)), testing::HasSubstr("  64  48.00 ± 0.00 k   25.0 %\n"));
}

TEST(TableText, TellsRowsOfTheTokenTableApart) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 1000}}, {.mode = Mode::kIo, .rates = {2000, 2000}}});
  for (CellResult& cell : result.cells) {
    cell.cell.axes = {"sequences"};
    cell.cell.dataset.sequence_length = 64;
    for (Trial& trial : cell.trials) trial.tokens = trial.padding = trial.samples * 32;
  }
  result.cells[1].cell.dataset.sequences = Sequences::kPacked;
  const std::string text = table_text(result, judge_run(result));
  EXPECT_THAT(text.substr(text.find("tokens/s: ")), testing::HasSubstr("sequences:packed      64  64.00 ± 0.00 k"));
}

TEST(TableText, ComparesColdWithWarm) {
  const Result result = with_cold();
  const std::string text = table_text(result, judge_run(result));
  EXPECT_THAT(text, testing::HasSubstr("stall   fetch stall\n"));
  EXPECT_THAT(text, testing::HasSubstr("cache:cold"));
  EXPECT_THAT(text, testing::HasSubstr("66.7 ± 0.0 %\n"));
  EXPECT_THAT(text, testing::EndsWith(
                        "\nfetch stall: how much longer FULL cold takes than FULL warm, as a share of FULL cold\n"));
}

TEST(TableText, LeavesOutWhatNoRowHasAndShowsFailedForWhatFailed) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {2000}}, {.mode = Mode::kFull, .rates = {}}});
  EXPECT_EQ(table_text(result, judge_run(result)),
            "samples/s, mean ± standard deviation of the trials\n"
            "\n"
            "workload  loader  batch       IO\n"
            "mnist     serial    100  2.000 k\n");
  result.cells[1].error = "cannot read shard.bin";
  EXPECT_EQ(table_text(result, judge_run(result)),
            "samples/s, mean ± standard deviation of the trials\n"
            "\n"
            "workload  loader  batch       IO    FULL\n"
            "mnist     serial    100  2.000 k  failed\n");
}

TEST(TableText, SaysThatThereIsNoTrial) {
  const Result result = result_of({{.mode = Mode::kIo, .rates = {}}, {.mode = Mode::kFull, .rates = {}}});
  EXPECT_EQ(table_text(result, judge_run(result)),
            "no trial of these configurations\n"
            "\n"
            "workload  loader  batch\n"
            "mnist     serial    100\n");
}

TEST(TableText, ShowsADashForWhatOnlyOtherRowsHave) {
  const Result result = result_of({{.mode = Mode::kIo, .rates = {2000}},
                                   {.mode = Mode::kFull, .rates = {}},
                                   {.mode = Mode::kFull, .rates = {1000}, .loader = "thread-pool", .workers = 2}});
  EXPECT_EQ(table_text(result, judge_run(result)),
            "samples/s, mean ± standard deviation of the trials\n"
            "\n"
            "workload  loader           batch       IO     FULL\n"
            "mnist     serial             100  2.000 k        -\n"
            "mnist     thread-pool x 2    100        -  1.000 k\n");
}

TEST(TableText, ComparesIoWithTheCeilingThatLimitsIt) {
  Result result = three_modes();
  test::add_ceiling(result, test::ceiling("gather-drain", 1), {2400, 2500, 2600}, {0});
  test::add_ceiling(result, test::ceiling("gather", 12), {1.6e6, 1.6e6, 1.6e6}, {1});
  test::add_ceiling(result, test::ceiling("drain", 13), {9e6, 9e6, 9e6}, {1});
  test::add_ceiling(result, test::ceiling("memory-read", 1), {2e10}, {});
  EXPECT_EQ(
      table_text(result, judge_run(result)),
      "samples/s, mean ± standard deviation of the trials\n"
      "\n"
      "workload  loader            batch               IO         of ceiling        SYNTHETIC         FULL         "
      "stall\n"
      "mnist     serial              100  2.000 ± 0.200 k  gather-drain 80 %  1.000 ± 0.000 k  800.0 ± 1.0  20.0 "
      "± 0.2 %\n"
      "mnist     thread-pool x 12    100  1.500 ± 0.000 M        gather 94 %  1.000 ± 0.000 k  999.0 ± 0.0   0.1 "
      "± 0.0 %\n"
      "\n"
      "±: for rates in this table, the standard deviation of the trials; for shares and in sentences, the 95 % "
      "interval\n"
      "\n"
      "of ceiling: IO divided by its lowest limit on this machine, measured in the same rounds\n"
      "  gather        fills slots with random samples\n"
      "  gather-drain  fills slots with random samples, then reads them\n");
}

TEST(TableText, ShowsMoreDecimalsFarBelowTheCeiling) {
  for (const auto& [ceiling, text] :
       {std::pair{20'000.0, "gather 10 %"}, {40'000.0, "gather 5.0 %"}, {1e6, "gather 0.20 %"}}) {
    Result result = result_of({{.mode = Mode::kIo, .rates = {2000}}});
    test::add_ceiling(result, test::ceiling("gather", 1), {ceiling}, {0});
    EXPECT_THAT(table_text(result, judge_run(result)), testing::HasSubstr(text));
  }
}

TEST(TableText, HasNoFigureForAShareThatIsTooNoisy) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {2000, 2000, 2000}}});
  test::add_ceiling(result, test::ceiling("gather", 1), {400, 4000, 40000}, {0});
  EXPECT_THAT(table_text(result, judge_run(result)), testing::HasSubstr("gather, too noisy to say"));
}

TEST(TableText, LeavesOutACeilingThatWasNotMeasured) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {2000}}});
  test::add_ceiling(result, test::ceiling("gather-drain", 1), {}, {0});
  EXPECT_EQ(table_text(result, judge_run(result)),
            "samples/s, mean ± standard deviation of the trials\n"
            "\n"
            "workload  loader  batch       IO\n"
            "mnist     serial    100  2.000 k\n");
}

TEST(TableText, NeedsNoLoaderForTheComputeAlone) {
  const Result result = result_of({{.mode = Mode::kSynthetic, .rates = {1000, 1000}}, overhead()});
  EXPECT_EQ(table_text(result, judge_run(result)),
            "samples/s, mean ± standard deviation of the trials\n"
            "\n"
            "workload  loader  batch        SYNTHETIC\n"
            "mnist     -         100  1.000 ± 0.000 k\n"
            "\n"
            "±: for rates in this table, the standard deviation of the trials; for shares and in sentences, the 95 % "
            "interval\n");
}

// Both rows used to be "mnist - 100".
TEST(TableText, TellsRowsOfTheComputeAloneApart) {
  Result result =
      result_of({{.mode = Mode::kSynthetic, .rates = {1000, 1000}}, {.mode = Mode::kSynthetic, .rates = {2000, 2000}}});
  for (CellResult& cell : result.cells) cell.cell.axes = {"compute"};
  result.cells[1].cell.compute = "drain";
  const std::string text = table_text(result, judge_run(result));
  EXPECT_THAT(text, testing::HasSubstr("  compute:device:samples_per_second=1000  1.000 ± 0.000 k\n"));
  EXPECT_THAT(text, testing::HasSubstr("  compute:drain                           2.000 ± 0.000 k\n"));
}

TEST(VerdictText, NamesTheRowThatItIsAbout) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 1000}}, {.mode = Mode::kIo, .rates = {2000, 2000}}});
  for (CellResult& cell : result.cells) cell.cell.axes = {"order"};
  result.cells[1].cell.sampler.order = Order::kSequential;
  EXPECT_THAT(verdict_text(judge_run(result)), testing::StartsWith("mnist, serial, order:"));
}

TEST(VerdictText, SaysLessThanATenthOfAPercentWhereNextToNothingIsUsed) {
  const Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 1000, 1000}},
                                   {.mode = Mode::kSynthetic, .rates = {1e9, 1e9, 1e9}},
                                   {.mode = Mode::kFull, .rates = {1000, 1001, 1002}}});
  EXPECT_THAT(verdict_text(judge_run(result)), testing::HasSubstr(" Accelerator utilisation less than 0.1 %"));
}

TEST(VerdictText, IsTheSentenceOfTheHeadline) {
  const Result result = three_modes();
  EXPECT_EQ(
      verdict_text(judge_run(result)),
      "mnist, thread-pool x 12: Bound by compute: device:samples_per_second=1000 is busy 99.9 ± 0.0 % of the "
      "time (stall 0.1 ± 0.0 %), so faster loading gives at most 0.2 % more throughput; thread-pool with 12 workers "
      "by itself is at least 1500 ± 0 times as fast as the compute; use a faster compute. Accelerator utilisation "
      "99.9 ± 0.0 %.\n");
}

TEST(VerdictText, SaysWhatTheFirstPassOfAWarmHeadlineIsLike) {
  EXPECT_THAT(verdict_text(judge_run(with_cold())),
              testing::HasSubstr(" A first pass, with an empty page cache, spends 66.7 ± 0.0 % of its time on fetching "
                                 "(FULL cold against FULL warm); "));
}

TEST(VerdictText, DoesNotRepeatWhatTheVerdictOfTheColdOneSays) {
  const std::string text = verdict_text(judge_run(with_cold()));
  const auto first = text.find(" A first pass");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find(" A first pass", first + 1), std::string::npos) << text;
}

TEST(VerdictText, SaysTheUtilisationOnce) {
  Result result = three_modes();
  result.options.au = 0.9;
  EXPECT_THAT(verdict_text(judge_run(result)),
              testing::EndsWith("faster compute. AU 99.9 ± 0.0 % meets the 90 % requested.\n"));
}

TEST(VerdictText, HasTheOverlapEfficiencyWhereTheFillWasMeasured) {
  Result result = three_modes();
  for (Trial& trial : result.cells[1].trials) {
    trial.fill = Fill{.wall_seconds = trial.wall_seconds, .batches = trial.batches, .samples = trial.samples};
  }
  EXPECT_THAT(verdict_text(judge_run(result)),
              testing::EndsWith("by itself is 1500 ± 0 times as fast as the compute; use a faster compute. "
                                "Accelerator utilisation 99.9 ± 0.0 %, overlap efficiency -0.50 ± 0.00.\n"));

  Judgement judgement = judge_run(result);
  judgement.configurations[judgement.headlines[0].configuration].verdict.sentence =
      "They take turns (overlap efficiency -0.50 ± 0.00).";
  EXPECT_THAT(verdict_text(judgement), testing::EndsWith("They take turns (overlap efficiency -0.50 ± 0.00). "
                                                         "Accelerator utilisation 99.9 ± 0.0 %.\n"));
}

TEST(VerdictText, SaysHowManyWorkersAreEnough) {
  Judgement judgement = judge_run(three_modes());
  const WorkerPoint two{.workers = 2, .samples_per_second = {1000, {}}};
  const WorkerPoint one{.workers = 1, .samples_per_second = {1000, {}}};
  judgement.configurations[1].verdict.sentence = "All is well.";
  judgement.headlines[0].workers = WorkerChoice{.fewest = two, .best = two};
  EXPECT_EQ(verdict_text(judgement),
            "mnist, thread-pool x 12: All is well. Accelerator utilisation 99.9 ± 0.0 %. 2 workers are enough: nothing "
            "else tried is more than 5 % faster.\n");
  judgement.headlines[0].workers = WorkerChoice{.fewest = one, .best = two};
  EXPECT_EQ(verdict_text(judgement),
            "mnist, thread-pool x 12: All is well. Accelerator utilisation 99.9 ± 0.0 %. 1 worker is enough: nothing "
            "else tried is more than 5 % faster.\n");
}

TEST(PlanText, HasALinePerCellAndTheTotalTime) {
  Result prepared = three_modes();
  for (CellResult& cell : prepared.cells) cell.trials.clear();
  EXPECT_EQ(plan_text(prepared, {.trials = {2, 2}, .asked = 2, .most_seconds = 6.56}),
            "cell                                         compute                         slots  slot bytes\n"
            "mnist/IO/serial/batch:100                    drain                               1        1600\n"
            "mnist/IO/thread-pool/workers:12/batch:100    drain                               1        1600\n"
            "mnist/SYNTHETIC/batch:100                    device:samples_per_second=1000      1        1600\n"
            "mnist/FULL/serial/batch:100                  device:samples_per_second=1000      1        1600\n"
            "mnist/FULL/thread-pool/workers:12/batch:100  device:samples_per_second=1000      1        1600\n"
            "OVERHEAD                                     drain                               1        1600\n"
            "\n"
            "6 cells, 2 trials each, about 6.6 s\n");
}

TEST(PlanText, NamesTheCeilingsToo) {
  Result prepared = result_of({{.mode = Mode::kIo, .rates = {}}});
  test::add_ceiling(prepared, test::ceiling("memory-read", 1), {}, {});
  test::add_ceiling(prepared, test::ceiling("gather-drain", 1), {}, {0});
  EXPECT_EQ(plan_text(prepared, {.trials = {5, 5}, .asked = 5, .most_seconds = 4.42}),
            "cell                       compute  slots  slot bytes\n"
            "mnist/IO/serial/batch:100  drain        1        1600\n"
            "\n"
            "ceiling\n"
            "memory-read/threads:1\n"
            "gather-drain/mnist/data:0/batch:100/threads:1\n"
            "\n"
            "1 cell and 2 ceilings, 5 trials each, about 4.4 s\n");
}

TEST(ScopeText, UsesTheSingularForOne) {
  const Result prepared = result_of({{.mode = Mode::kSynthetic, .rates = {}}});
  EXPECT_EQ(scope_text(prepared, {.trials = {1, 1}, .asked = 1, .most_seconds = 0.72}),
            "1 cell, 1 trial each, about 0.7 s");
}

TEST(ScopeText, CountsTheCeilingsAlone) {
  Result prepared = result_of({{.mode = Mode::kIo, .rates = {}}});
  test::add_ceiling(prepared, test::ceiling("gather-drain", 1), {}, {0});
  EXPECT_EQ(ceilings_scope_text(prepared, {.trials = {5, 5}, .asked = 5, .most_seconds = 0.9}),
            "1 ceiling, 5 trials each, about 0.9 s");
}

TEST(ScopeText, SaysWhatIsNotCertain) {
  const Result prepared = result_of({{.mode = Mode::kSynthetic, .rates = {}}, {.mode = Mode::kIo, .rates = {}}});
  EXPECT_EQ(scope_text(prepared, {.trials = {3, 3}, .asked = 5, .most_seconds = 19}),
            "2 cells, 3 of 5 trials each to fit the time limit, about 19.0 s");
  EXPECT_EQ(scope_text(prepared, {.trials = {3, 50}, .asked = 50, .fewest_seconds = 4, .most_seconds = 70}),
            "2 cells, 3 to 50 trials each, about 4.0 s to 1 min 10 s");
  EXPECT_EQ(scope_text(prepared,
                       {.trials = {3, 20}, .asked = 50, .fewest_seconds = 4, .most_seconds = 30, .open_ended = true}),
            "2 cells, 3 to 20 of 50 trials each to fit the time limit, at least 4.0 s to 30.0 s");
  EXPECT_EQ(scope_text(prepared, {.trials = {5, 5}, .asked = 5, .there = 4, .most_seconds = 3}),
            "2 cells, 5 trials each, of which 4 exist already, about 3.0 s");
}

TEST(StoppedText, SaysHowManyCellsFellShortOfTheirTrialsOrInterval) {
  Result result = result_of({{.mode = Mode::kSynthetic, .rates = {100, 100, 100}},
                             {.mode = Mode::kIo, .rates = {100, 110}},
                             {.mode = Mode::kFull, .rates = {90, 110}},
                             test::overhead()});
  for (CellResult& cell : result.cells) cell.stopped = Stopped::kTrials;
  result.status = Status::kPartial;
  EXPECT_EQ(stopped_text(result, judge_run(result)), "stopped: the run did not finish.\n");
  result.status = Status::kComplete;
  EXPECT_EQ(stopped_text(result, judge_run(result)), "");
  result.cells[1].stopped = result.cells[2].stopped = result.cells[3].stopped = Stopped::kTimeLimit;
  EXPECT_EQ(stopped_text(result, judge_run(result)),
            "time limit: 3 of 4 cells have fewer trials than requested, the fewest 2; --resume continues.\n");
  result.options.until_ci = 0.01;
  result.options.max_trials = 2;
  result.cells[1].stopped = result.cells[2].stopped = Stopped::kMaxTrials;
  result.cells[3].stopped = Stopped::kTrials;
  // 12.71 * 14.1 / sqrt(2) = 127 of 100.
  EXPECT_EQ(stopped_text(result, judge_run(result)),
            "interval: 2 of 4 cells did not reach ± 1 % with at most 2 trials; the "
            "widest is mnist/FULL/serial/batch:100 with ± 127.1 %.\n");
}

TEST(StoppedText, SaysByHowMuchTheTimeLimitWasPassed) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {100, 110}}});
  result.status = Status::kComplete;
  result.options.time_limit = 20;
  result.process = RunUsage{.wall_seconds = 25.2};
  EXPECT_EQ(stopped_text(result, judge_run(result)),
            "time limit: passed by 5.2 s, because a trial that has begun is finished.\n");
  result.process->wall_seconds = 20.9;
  EXPECT_EQ(stopped_text(result, judge_run(result)), "") << "judging takes time too";
  result.process->wall_seconds = 25.2;
  result.status = Status::kPartial;
  EXPECT_EQ(stopped_text(result, judge_run(result)), "stopped: the run did not finish.\n") << "a signal came later";
}

TEST(StoppedText, OffersToResumeOnlyWhatCanBeResumed) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {100, 110}}});
  result.status = Status::kComplete;
  result.cells[0].stopped = Stopped::kTimeLimit;
  result.merged_from = {"x", "y"};
  const std::string sentence = "time limit: 1 of 1 cell has fewer trials than requested, the fewest 2.\n";
  EXPECT_EQ(stopped_text(result, judge_run(result)), sentence);
  result.merged_from.clear();
  result.options.find = "best";
  EXPECT_EQ(stopped_text(result, judge_run(result)), sentence);
}

TEST(NoTrialText, IsAFailureOfTheTimeLimitOnceNoCellHasATrial) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {}}, {.mode = Mode::kFull, .rates = {}}, test::overhead()});
  result.status = Status::kComplete;
  result.options.time_limit = 25;
  for (CellResult& cell : result.cells) cell.stopped = Stopped::kTimeLimit;
  EXPECT_EQ(no_trial_text(result),
            "--time-limit 25s: it ended the run before any cell had a trial; allow more time, choose fewer cells or "
            "leave out first epochs by --first-epoch-seconds 0");
  result.cells[0].trials.emplace_back();
  EXPECT_EQ(no_trial_text(result), "");
  result.cells[0].trials.clear();
  result.cells[0].stopped = Stopped::kError;
  EXPECT_EQ(no_trial_text(result), "") << "that one failed for another reason";
  result.cells = {test::cell_result(test::overhead())};
  result.cells[0].stopped = Stopped::kTimeLimit;
  EXPECT_EQ(no_trial_text(result), "");
}

// It used to read an interval that the first part of the merge did not have: "did not reach ± -nan %".
TEST(StoppedText, SaysNothingOfTheIntervalsThatPartsOfAMergeWereToReach) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {100, 110}}});
  result.status = Status::kComplete;
  result.cells[0].stopped = Stopped::kMaxTrials;
  EXPECT_EQ(stopped_text(result, judge_run(result)), "");
  result.options.until_ci = 0.01;
  result.merged_from = {"x", "y"};
  EXPECT_EQ(stopped_text(result, judge_run(result)), "");
}

TEST(StoppedText, NamesNoWidestIntervalWhereOneTrialHasNone) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {100}}});
  result.status = Status::kComplete;
  result.cells[0].stopped = Stopped::kMaxTrials;
  result.options.until_ci = 0.01;
  result.options.max_trials = 1;
  EXPECT_EQ(stopped_text(result, judge_run(result)),
            "interval: 1 of 1 cell did not reach ± 1 % with at most 1 trial.\n");
}

TEST(StoppedText, SaysThatAStoppedRunHasNothing) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {}}});
  result.status = Status::kPartial;
  EXPECT_EQ(stopped_text(result, judge_run(result)), "stopped: the run did not finish, and no trial counts.\n");
  result.merged_from = {"x", "y"};
  EXPECT_EQ(stopped_text(result, judge_run(result)),
            "incomplete: parts of the run were stopped, and no trial counts.\n");
}

// It used to say only the former, as if all cells were there.
TEST(StoppedText, SaysThatAMergeLacksTrialsAndShares) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {100, 110}}});
  result.status = Status::kPartial;
  result.cells[0].stopped = Stopped::kTimeLimit;
  result.merged_from = {"x", "y"};
  result.divided_configurations = 3;
  EXPECT_EQ(stopped_text(result, judge_run(result)),
            "time limit: 1 of 1 cell has fewer trials than requested, the fewest 2.\n"
            "incomplete: shares of the sweep (--part) are missing.\n");
  result.options.part = "1/3,3/3";
  EXPECT_THAT(stopped_text(result, judge_run(result)),
              testing::EndsWith("incomplete: of the sweep (--part), share 2/3 is missing.\n"));
}

TEST(StoppedText, CountsNoPilots) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {100, 110, 100, 110, 100, 100, 110, 105}}});
  result.status = Status::kComplete;
  result.cells[0].stopped = Stopped::kTimeLimit;
  for (std::size_t i = 0; i < 5; ++i) result.cells[0].trials[i].pilot = true;
  EXPECT_EQ(stopped_text(result, judge_run(result)),
            "time limit: 1 of 1 cell has fewer trials than requested, the fewest 3; --resume continues.\n");
}

TEST(PlanText, SaysWhatTheMemoryIsFor) {
  Result prepared = result_of({{.mode = Mode::kIo, .rates = {}}});
  prepared.memory = MemoryUse{.needed_bytes = 3 << 20,
                              .largest_bytes = 2 << 20,
                              .largest = "the slots of a",
                              .available_bytes = 8 << 20,
                              .limit = "MemAvailable"};
  EXPECT_THAT(
      plan_text(prepared, {.trials = {1, 1}, .asked = 1, .most_seconds = 0.72}),
      testing::HasSubstr("\nthe run needs 3.0 MiB of memory, 2.0 MiB of it for the slots of a, and MemAvailable "
                         "leaves 8.0 MiB\n1 cell, 1 trial each, about 0.7 s\n"));
}

}  // namespace
}  // namespace loadline
