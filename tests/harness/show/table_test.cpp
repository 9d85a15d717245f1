#include "harness/show/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(RateText, OfOneTrialHasNoDeviation) {
  EXPECT_EQ(rate_text(summary({1234567})), "1.235 M");
  EXPECT_EQ(rate_text(summary({0.5})), "0.500");
}

TEST(RateText, OfNoTrialIsADash) {
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

TEST(TableText, HasARowAConfiguration) {
  const Result result = three_modes();
  EXPECT_EQ(table_text(result, judge_run(result)),
            "samples/s, mean ± standard deviation of the trials\n"
            "\n"
            "workload  loader            batch               IO        SYNTHETIC         FULL         stall\n"
            "mnist     serial              100  2.000 ± 0.200 k  1.000 ± 0.000 k  800.0 ± 1.0  20.0 ± 0.2 %\n"
            "mnist     thread-pool x 12    100  1.500 ± 0.000 M  1.000 ± 0.000 k  999.0 ± 0.0   0.1 ± 0.0 %\n");
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

TEST(TableText, HoldsColdAgainstWarm) {
  const Result result = with_cold();
  const std::string text = table_text(result, judge_run(result));
  EXPECT_THAT(text, testing::HasSubstr("stall   fetch stall\n"));
  EXPECT_THAT(text, testing::HasSubstr("cache:cold"));
  EXPECT_THAT(text, testing::HasSubstr("66.7 ± 0.0 %\n"));
  EXPECT_THAT(text, testing::EndsWith("\nfetch stall: what FULL cold takes longer than FULL warm, as a share of it\n"));
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

TEST(TableText, HoldsIoAgainstTheCeilingThatBindsIt) {
  Result result = three_modes();
  test::add_ceiling(result, test::ceiling("gather-drain", 1), {2400, 2500, 2600}, {0});
  test::add_ceiling(result, test::ceiling("gather", 12), {1.6e6, 1.6e6, 1.6e6}, {1});
  test::add_ceiling(result, test::ceiling("drain", 1), {9e6, 9e6, 9e6}, {1});
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
      "of ceiling: IO over the lowest limit that it has on this machine, measured in the same rounds\n"
      "  gather        slots filled with random samples, and nothing else\n"
      "  gather-drain  slots filled with random samples, and read by the same threads\n");
}

TEST(TableText, ShowsMoreDecimalsOfWhatIsFarBelowItsCeiling) {
  for (const auto& [ceiling, text] :
       {std::pair{20'000.0, "gather 10 %"}, {40'000.0, "gather 5.0 %"}, {1e6, "gather 0.20 %"}}) {
    Result result = result_of({{.mode = Mode::kIo, .rates = {2000}}});
    test::add_ceiling(result, test::ceiling("gather", 1), {ceiling}, {0});
    EXPECT_THAT(table_text(result, judge_run(result)), testing::HasSubstr(text));
  }
}

TEST(TableText, IsSilentOfACeilingThatWasNotMeasured) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {2000}}});
  test::add_ceiling(result, test::ceiling("gather-drain", 1), {}, {0});
  EXPECT_EQ(table_text(result, judge_run(result)),
            "samples/s, mean ± standard deviation of the trials\n"
            "\n"
            "workload  loader  batch       IO\n"
            "mnist     serial    100  2.000 k\n");
}

TEST(TableText, OfTheComputeAloneNeedsNoLoader) {
  const Result result = result_of({{.mode = Mode::kSynthetic, .rates = {1000, 1000}}, overhead()});
  EXPECT_EQ(table_text(result, judge_run(result)),
            "samples/s, mean ± standard deviation of the trials\n"
            "\n"
            "workload  loader  batch        SYNTHETIC\n"
            "mnist     -         100  1.000 ± 0.000 k\n");
}

TEST(VerdictText, IsTheSentenceOfTheHeadline) {
  const Result result = three_modes();
  EXPECT_EQ(verdict_text(judge_run(result)),
            "mnist, thread-pool x 12: Bound by compute: device:samples_per_second=1000 is busy 99.9 ± 0.0 % of the "
            "time (stall 0.1 ± 0.0 %); thread-pool with 12 workers alone supplies 1500 times what it takes, so faster "
            "loading cannot help; use a faster compute or fewer workers. Accelerator utilisation 99.9 ± 0.0 %, overlap "
            "efficiency -0.50 ± 0.00.\n");
}

TEST(VerdictText, SaysOfAWarmHeadlineWhatTheFirstPassIsLike) {
  EXPECT_THAT(verdict_text(judge_run(with_cold())),
              testing::HasSubstr(" A first pass, with nothing in the page cache, spends 66.7 ± 0.0 % of its time on "
                                 "fetching (FULL cold against FULL warm); "));
}

TEST(VerdictText, SaysTheUtilisationOnce) {
  Result result = three_modes();
  result.options.au = 0.9;
  EXPECT_THAT(verdict_text(judge_run(result)),
              testing::EndsWith("fewer workers. AU 99.9 ± 0.0 % meets the 90 % asked for. Overlap efficiency -0.50 ± "
                                "0.00.\n"));
}

TEST(VerdictText, SaysHowManyWorkersAreEnough) {
  Judgement judgement = judge_run(three_modes());
  const WorkerPoint two{.workers = 2, .samples_per_second = {1000, {}}};
  const WorkerPoint one{.workers = 1, .samples_per_second = {1000, {}}};
  judgement.configurations[1].verdict.sentence = "All is well.";
  judgement.headlines[0].workers = WorkerChoice{.fewest = two, .best = two};
  EXPECT_EQ(verdict_text(judgement),
            "mnist, thread-pool x 12: All is well. Accelerator utilisation 99.9 ± 0.0 %, overlap efficiency -0.50 ± "
            "0.00. 2 workers are not measurably worse than any other count tried.\n");
  judgement.headlines[0].workers = WorkerChoice{.fewest = one, .best = two};
  EXPECT_EQ(verdict_text(judgement),
            "mnist, thread-pool x 12: All is well. Accelerator utilisation 99.9 ± 0.0 %, overlap efficiency -0.50 ± "
            "0.00. 1 worker is not measurably worse than any other count tried.\n");
}

TEST(WarningText, IsALineAWarning) {
  Judgement judgement;
  EXPECT_EQ(warning_text(judgement), "");
  judgement.warnings = {{"one", "first"}, {"two", "second"}};
  EXPECT_EQ(warning_text(judgement), "warning: first [one]\nwarning: second [two]\n");
}

TEST(SettingText, NamesProgramMachineAndData) {
  EXPECT_EQ(setting_text(three_modes()),
            "loadline 1.2.3 (Release, avx2 kernels) on Example CPU, 4 of 8 CPUs in force\n"
            "data: /data/mnist (idx, 60000 samples of 1x28x28 u8, mapped, fingerprint 123456789abcdef0)\n");
  Result unread = three_modes();
  unread.datasets[0].fingerprint.reset();
  EXPECT_THAT(setting_text(unread), testing::EndsWith("60000 samples of 1x28x28 u8, mapped)\n"));
}

TEST(SettingText, AdmitsWhatIsNotKnown) {
  Result result;
  result.kernels = "scalar";
  result.environment.build.version = "1.2.3";
  EXPECT_EQ(setting_text(result),
            "loadline 1.2.3 (build type unknown, scalar kernels) on an unknown CPU, 1 of an unknown number CPUs in "
            "force\n");
}

TEST(PlanText, HasALineACellAndTheTimeItTakes) {
  Result prepared = three_modes();
  for (CellResult& cell : prepared.cells) cell.trials.clear();
  EXPECT_EQ(plan_text(prepared, {.trials = 2, .trial_seconds = 0.5, .first_epoch_seconds = 0}),
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
  EXPECT_EQ(plan_text(prepared, {.trials = 5, .trial_seconds = 0.5, .first_epoch_seconds = 0}),
            "cell                       compute  slots  slot bytes\n"
            "mnist/IO/serial/batch:100  drain        1        1600\n"
            "\n"
            "ceiling\n"
            "memory-read/threads:1\n"
            "gather-drain/mnist/data:0/batch:100/threads:1\n"
            "\n"
            "1 cell and 2 ceilings, 5 trials each, about 4.4 s\n");
}

TEST(EstimatedSeconds, AreThoseOfTheTrialsAndTheFirstEpochs) {
  const Result prepared = result_of({{.mode = Mode::kSynthetic, .rates = {}}});
  // A step of 0.1 s: 0.5 s of trial, two steps to warm up, and a little to set up, five times.
  EXPECT_NEAR(estimated_seconds(prepared, {}), 5 * (0.5 + 2 * 0.1 + 0.02), 1e-9);
  EXPECT_NEAR(estimated_seconds(prepared, {.trials = 1, .trial_batches = 7, .warm_up_batches = 0}), 0.7 + 0.02, 1e-9);
  EXPECT_NEAR(estimated_seconds(prepared, {.trials = 1, .trial_seconds = 0.01, .warm_up_batches = 0}), 0.1 + 0.02, 1e-9)
      << "a trial has at least one step";
}

TEST(EstimatedSeconds, CountAllThatAStepOfTheDeviceIsMadeOf) {
  Result prepared = result_of({{.mode = Mode::kSynthetic, .rates = {}}});
  const RunOptions options{.trials = 1, .trial_batches = 12, .warm_up_batches = 0};
  // Two devices, each with a copy of 1,600 bytes, 16 ms, and a step of 100 ms for every other batch of 100 samples.
  prepared.cells[0].cell.compute = "device:samples_per_second=1000,devices=2,depth=0,copy_bytes_per_second=100000";
  EXPECT_NEAR(estimated_seconds(prepared, options), 6 * 0.116 + 0.02, 1e-9);
  prepared.cells[0].cell.compute = "device:profile=mlperf-cosmoflow-h100";
  EXPECT_NEAR(estimated_seconds(prepared, options), 12 * 0.35 + 0.02, 1e-9);
}

TEST(EstimatedSeconds, AreThoseOfTheCeilingsToo) {
  Result prepared = result_of({{.mode = Mode::kSynthetic, .rates = {}}});
  const double without = estimated_seconds(prepared, {});
  test::add_ceiling(prepared, test::ceiling("memory-read", 1), {}, {});
  EXPECT_NEAR(estimated_ceiling_seconds(prepared, {}), 5 * (0.15 + 0.03), 1e-9);
  EXPECT_NEAR(estimated_seconds(prepared, {}), without + 5 * (0.15 + 0.03), 1e-9);
  EXPECT_NEAR(estimated_ceiling_seconds(prepared, {.trials = 1, .trial_seconds = 0.01}), 0.01 + 0.03, 1e-9);
}

TEST(TimeText, ShowsTenthsBelowAMinuteAndMinutesAbove) {
  EXPECT_EQ(time_text(1.24), "1.2 s");
  EXPECT_EQ(time_text(59.94), "59.9 s");
  EXPECT_EQ(time_text(59.97), "1 min 0 s");
  EXPECT_EQ(time_text(200.4), "3 min 20 s");
}

TEST(ScopeText, CountsInTheSingularToo) {
  const Result prepared = result_of({{.mode = Mode::kSynthetic, .rates = {}}});
  EXPECT_EQ(scope_text(prepared, {.trials = 1, .trial_batches = 7, .warm_up_batches = 0}),
            "1 cell, 1 trial each, about 0.7 s");
}

TEST(ScopeText, CountsTheCeilingsAlone) {
  Result prepared = result_of({{.mode = Mode::kIo, .rates = {}}});
  test::add_ceiling(prepared, test::ceiling("gather-drain", 1), {}, {0});
  EXPECT_EQ(ceilings_scope_text(prepared, {}), "1 ceiling, 5 trials each, about 0.9 s");
}

}  // namespace
}  // namespace loadline
