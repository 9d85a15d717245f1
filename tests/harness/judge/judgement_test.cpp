#include "harness/judge/judgement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/loader_stages.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::add_ceiling;
using test::ceiling;
using test::overhead;
using test::result_of;
using testing::HasSubstr;
using testing::Not;

TEST(Judgement, SummarisesTheTrialsOfEveryCell) {
  const Judgement judgement = judge_run(result_of({{.mode = Mode::kIo, .rates = {1000, 2000, 3000}}, overhead()}));
  ASSERT_EQ(judgement.cells.size(), 2U);
  const auto& rate = judgement.cells[0].samples_per_second;
  ASSERT_TRUE(rate.has_value());
  EXPECT_EQ(rate->count, 3U);
  EXPECT_DOUBLE_EQ(rate->mean, 2000);
  EXPECT_DOUBLE_EQ(*rate->stddev, 1000);
}

TEST(Judgement, CountsTokensWhereSamplesHaveThem) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 2000}}, overhead()});
  for (Trial& trial : result.cells[0].trials) {
    trial.tokens = trial.samples * 90;
    trial.padding = trial.samples * 10;
  }
  const Judgement judgement = judge_run(result);
  ASSERT_TRUE(judgement.cells[0].tokens_per_second.has_value());
  EXPECT_DOUBLE_EQ(judgement.cells[0].tokens_per_second->mean, 135'000);
  EXPECT_DOUBLE_EQ(*judgement.cells[0].padding_share, 0.1);
  EXPECT_FALSE(judgement.cells[1].tokens_per_second.has_value());
  EXPECT_FALSE(judgement.cells[1].padding_share.has_value());
}

TEST(Judgement, HasNoTokensPerSecondOfARepeatedBatchWhereOthersHaveMoreOrFewerTokens) {
  Result result = result_of({{.mode = Mode::kSynthetic, .rates = {1000, 2000}}, overhead()});
  for (Trial& trial : result.cells[0].trials) {
    trial.tokens = trial.samples * 100;
    trial.padding = 0;
  }
  for (const Sequences sequences : {Sequences::kRandom, Sequences::kConsecutive, Sequences::kPacked}) {
    result.cells[0].cell.dataset.sequences = sequences;
    EXPECT_DOUBLE_EQ(judge_run(result).cells[0].tokens_per_second->mean, 150'000) << name(sequences);
  }
  for (const Sequences sequences : {Sequences::kDocuments, Sequences::kPadded}) {
    result.cells[0].cell.dataset.sequences = sequences;
    EXPECT_FALSE(judge_run(result).cells[0].tokens_per_second.has_value()) << name(sequences);
  }
}

TEST(Judgement, NumbersOutliersAmongAllTrialsWhereverThePilotsAre) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {50, 100, 101, 40, 99, 20, 20, 100, 100}}});
  for (const std::size_t pilot : {0U, 5U, 6U}) result.cells[0].trials[pilot].pilot = true;
  EXPECT_THAT(judge_run(result).cells[0].outliers, testing::ElementsAre(3U));
}

TEST(Judgement, HasNoFiguresForACellWithoutTrials) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {}}, {.mode = Mode::kFull, .rates = {}}});
  result.cells[0].error = "cannot read shard.bin";
  const Judgement judgement = judge_run(result);
  EXPECT_FALSE(judgement.cells[0].samples_per_second.has_value());
  ASSERT_EQ(judgement.configurations.size(), 1U);
  EXPECT_EQ(judgement.configurations[0].verdict.bound, Bound::kIncomplete);
  EXPECT_TRUE(judgement.headlines.empty());
}

TEST(Judgement, IsEmptyWithoutCells) {
  const Judgement judgement = judge_run(result_of({}));
  EXPECT_TRUE(judgement.configurations.empty());
  EXPECT_TRUE(judgement.headlines.empty());
}

TEST(Judgement, HeadlinesTheConfigurationWithTheHighestFull) {
  const Judgement judgement = judge_run(result_of({
      {.mode = Mode::kIo, .rates = {9000}},
      {.mode = Mode::kFull, .rates = {900}},
      {.mode = Mode::kIo, .rates = {5000}, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kFull, .rates = {990}, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kFull, .rates = {100}, .workload = "cifar10"},
  }));
  ASSERT_EQ(judgement.headlines.size(), 2U);
  EXPECT_EQ(judgement.headlines[0].workload, "mnist");
  EXPECT_EQ(judgement.headlines[0].configuration, 1U);
  EXPECT_FALSE(judgement.headlines[0].workers.has_value()) << "one worker count is no sweep";
  EXPECT_EQ(judgement.headlines[1].workload, "cifar10");
  EXPECT_EQ(judgement.headlines[1].configuration, 2U);
}

TEST(Judgement, HeadlinesTheHighestIoWhereThereIsNoFull) {
  const Judgement judgement = judge_run(result_of({
      {.mode = Mode::kIo, .rates = {5000}},
      {.mode = Mode::kIo, .rates = {9000}, .loader = "thread-pool", .workers = 2},
  }));
  ASSERT_EQ(judgement.headlines.size(), 1U);
  EXPECT_EQ(judgement.headlines[0].configuration, 1U);
}

TEST(Judgement, DoesNotHeadlineAnIoFigureWhereOthersHaveAFull) {
  // The second configuration's FULL failed, and its IO is no throughput of training.
  const Judgement judgement = judge_run(result_of({
      {.mode = Mode::kIo, .rates = {5000}},
      {.mode = Mode::kFull, .rates = {900}},
      {.mode = Mode::kIo, .rates = {9000}, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kFull, .rates = {}, .loader = "thread-pool", .workers = 2},
  }));
  ASSERT_EQ(judgement.headlines.size(), 1U);
  EXPECT_EQ(judgement.headlines[0].configuration, 0U);
}

TEST(Judgement, ComparesEveryCellWithItsLowestCeiling) {
  Result result = result_of({
      {.mode = Mode::kIo, .rates = {900, 900}, .loader = "thread-pool", .workers = 1},
      {.mode = Mode::kIo, .rates = {1600, 1600}, .loader = "thread-pool", .workers = 2},
      overhead(),
  });
  add_ceiling(result, ceiling("gather", 1), {1000, 1000}, {0});
  add_ceiling(result, ceiling("gather", 2), {2000, 2000}, {1});
  add_ceiling(result, ceiling("hand-off", 2), {15, 15, 15}, {0, 1});  // batches of 100
  const Judgement judgement = judge_run(result);
  ASSERT_TRUE(judgement.cells[0].load_line.has_value());
  EXPECT_EQ(judgement.cells[0].load_line->ceiling, 0U);
  EXPECT_EQ(judgement.cells[0].load_line->name, "gather/mnist/data:0/batch:100/threads:1");
  EXPECT_NEAR(judgement.cells[0].load_line->line.efficiency.value, 0.9, 1e-12);
  ASSERT_TRUE(judgement.cells[1].load_line.has_value());
  EXPECT_EQ(judgement.cells[1].load_line->ceiling, 2U);
  EXPECT_DOUBLE_EQ(judgement.cells[1].load_line->line.samples_per_second, 1500);
  EXPECT_FALSE(judgement.cells[2].load_line.has_value());
  ASSERT_EQ(judgement.ceilings.size(), 3U);
  EXPECT_DOUBLE_EQ(judgement.ceilings[2]->mean, 15);
}

TEST(Judgement, TreatsTheComputeAsACeilingOfFull) {
  Result result = result_of({
      {.mode = Mode::kFull, .rates = {99, 99}},
      {.mode = Mode::kSynthetic, .rates = {100, 100}},
      {.mode = Mode::kFull, .rates = {180, 180}, .loader = "thread-pool", .workers = 1},
  });
  add_ceiling(result, ceiling("gather", 1), {1000, 1000}, {0, 2});
  const Judgement compute_bound = judge_run(result);
  ASSERT_TRUE(compute_bound.cells[0].load_line.has_value());
  EXPECT_EQ(compute_bound.cells[0].load_line->ceiling, std::nullopt);
  EXPECT_EQ(compute_bound.cells[0].load_line->name, "mnist/SYNTHETIC/batch:100");
  EXPECT_NEAR(compute_bound.cells[0].load_line->line.efficiency.value, 0.99, 1e-12);
  EXPECT_FALSE(compute_bound.cells[1].load_line.has_value());
  result.ceilings[0].trials = {{.wall_seconds = 1, .amount = 90}};
  EXPECT_EQ(judge_run(result).cells[0].load_line->ceiling, 0U) << "where loading is the lower of the two";
}

TEST(Judgement, HasNoLoadLineWithoutCeilings) {
  const Judgement judgement = judge_run(result_of({
      {.mode = Mode::kFull, .rates = {99, 99}},
      {.mode = Mode::kSynthetic, .rates = {100, 100}},
  }));
  EXPECT_FALSE(judgement.cells[0].load_line.has_value());
}

TEST(Judgement, HasNoFiguresForACeilingWithoutTrials) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {900, 900}}});
  add_ceiling(result, ceiling("gather-drain", 1), {}, {0});
  const Judgement judgement = judge_run(result);
  EXPECT_FALSE(judgement.ceilings[0].has_value());
  EXPECT_FALSE(judgement.cells[0].load_line.has_value());
}

TEST(Judgement, SaysInTheVerdictHowMuchOfWhichCeilingIoReaches) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {930, 930}}, {.mode = Mode::kFull, .rates = {800, 800}}});
  add_ceiling(result, ceiling("gather-drain", 1), {1000, 1000}, {0});
  add_ceiling(result, ceiling("gather", 1), {1200, 1200}, {1});
  EXPECT_THAT(judge_run(result).configurations[0].verdict.sentence,
              testing::EndsWith(
                  " IO reaches 93.0 ± 0.0 % of the gather-drain ceiling (1.000 ± 0.000 k samples/s with 1 thread)."));
  result.ceilings[0].trials.clear();
  result.ceilings[1].trials.clear();
  EXPECT_THAT(judge_run(result).configurations[0].verdict.sentence, testing::Not(testing::HasSubstr("ceiling")));
}

TEST(Judgement, NamesTheSingleConsumerThatLimitsIo) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {970, 970}, .loader = "thread-pool", .workers = 8}});
  add_ceiling(result, ceiling("gather", 8), {5000, 5000}, {0});
  add_ceiling(result, ceiling("drain", 9), {1000, 1000}, {0});
  const Verdict verdict = judge_run(result).configurations[0].verdict;
  EXPECT_EQ(verdict.bound, Bound::kHarness);
  EXPECT_EQ(
      verdict.sentence,
      "Bound by the harness (drain): the one thread that takes IO's batches reads them about as fast as one thread "
      "can read what others wrote, so neither a faster loader nor more workers would raise IO. To see what limits "
      "training, run with --mode io,synthetic,full. IO reaches 97.0 ± 0.0 % of the drain ceiling (1.000 ± 0.000 k "
      "samples/s with one thread that reads what 8 others wrote).");
  result.ceilings[1].trials[0].amount = result.ceilings[1].trials[1].amount = 1200;
  EXPECT_EQ(judge_run(result).configurations[0].verdict.bound, Bound::kIncomplete) << "81 % is not at it";
  result.ceilings[0].trials[0].amount = result.ceilings[0].trials[1].amount = 999;
  EXPECT_EQ(judge_run(result).configurations[0].verdict.bound, Bound::kIncomplete) << "gather binds, not drain";
}

TEST(Judgement, SaysHowMuchMoreIsFilledThanTheSingleConsumerReads) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {970, 970}, .loader = "thread-pool", .workers = 8}});
  add_ceiling(result, ceiling("drain", 9), {1000, 1000}, {0});
  for (Trial& trial : result.cells[0].trials) trial.fill = Fill{.wall_seconds = 1, .batches = 20, .samples = 1940};
  EXPECT_THAT(judge_run(result).configurations[0].verdict.sentence,
              testing::HasSubstr("more workers would raise IO; thread-pool with 8 workers fills 2.00 ± 0.00 times as "
                                 "much when nothing reads the batches. To see what limits"));
}

TEST(Judgement, LeavesTheVerdictToFullWhichHasNoDrain) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {970, 970}, .loader = "thread-pool", .workers = 8},
                             {.mode = Mode::kSynthetic, .rates = {700, 700}},
                             {.mode = Mode::kFull, .rates = {695, 695}, .loader = "thread-pool", .workers = 8}});
  for (Trial& trial : result.cells[0].trials) trial.fill = Fill{.wall_seconds = 1, .batches = 20, .samples = 1940};
  add_ceiling(result, ceiling("drain", 9), {1000, 1000}, {0});
  const Verdict verdict = judge_run(result).configurations[0].verdict;
  EXPECT_EQ(verdict.bound, Bound::kCompute);
  EXPECT_THAT(
      verdict.sentence,
      testing::EndsWith(
          " IO reaches 97.0 ± 0.0 % of the drain ceiling (1.000 ± 0.000 k samples/s with one "
          "thread that reads what 8 others wrote): its single consumer is the limit, which FULL does not have."));
}

TEST(Judgement, SaysHowMuchOfTheCeilingFullReachesWithoutIo) {
  Result result = result_of({{.mode = Mode::kFull, .rates = {900, 900}, .loader = "thread-pool", .workers = 2}});
  add_ceiling(result, ceiling("gather", 2), {1200, 1200}, {0});
  EXPECT_THAT(judge_run(result).configurations[0].verdict.sentence,
              testing::EndsWith(" FULL reaches 75.0 ± 0.0 % of the gather ceiling (1.200 ± 0.000 k samples/s with 2 "
                                "threads)."));
}

std::string sentence_of(const Result& result) {
  return judge_run(result).configurations[0].verdict.sentence;
}

// IO of two workers on 4 CPUs with mapped data. Per second, their threads wait for a CPU for `run_delay_seconds`.
Result runnable(double run_delay_seconds) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 1000}, .loader = "thread-pool", .workers = 2}});
  result.datasets[0].info.access = Access::kMapped;
  for (Trial& trial : result.cells[0].trials) {
    trial.usage.user_cpu_seconds = 0.4 * trial.wall_seconds;
    trial.usage.run_delay_seconds = run_delay_seconds * trial.wall_seconds;
    trial.wait.total_seconds = 0.9 * trial.wall_seconds;
  }
  return result;
}

TEST(Judgement, SaysWhatKeptALoaderFromWorking) {
  EXPECT_THAT(sentence_of(runnable(1.5)),
              testing::EndsWith(" Other processes kept its threads off the CPUs for at least 50 % of their time: "
                                "measure again without them, or on dedicated CPUs."));
  EXPECT_THAT(sentence_of(runnable(0)), Not(HasSubstr("kept its threads")));
  EXPECT_THAT(sentence_of(runnable(0)), Not(HasSubstr("latency")));
}

TEST(Judgement, TakesRanksOnTheSameCpuForNoOtherProcesses) {
  Result result = runnable(0);
  result.environment.machine.threads_in_force = 1;
  for (Trial& trial : result.cells[0].trials) {
    trial.usage.user_cpu_seconds = trial.wall_seconds;  // of both ranks, whose six threads take turns
    trial.usage.run_delay_seconds = 5 * trial.wall_seconds;
    trial.ranks = TrialRanks{.each = std::vector<RankShare>(2)};
  }
  result.ranks = RunRanks{};
  result.ranks->places = {{"n1", {0}}, {"n1", {0}}};
  EXPECT_THAT(sentence_of(result), Not(HasSubstr("Other processes")));
  result.ranks->places = {{"n1", {0}}, {"n2", {0}}};
  for (Trial& trial : result.cells[0].trials) trial.usage.run_delay_seconds = 5.5 * trial.wall_seconds;
  EXPECT_THAT(sentence_of(result),
              HasSubstr(" Other processes kept its threads off the CPUs for at least 50 % of their time"));
}

TEST(Judgement, SaysWhatTheLoaderSpendsItsTimeOn) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {500, 500}, .loader = "thread-pool", .workers = 2},
                             {.mode = Mode::kSynthetic, .rates = {1000, 1001}},
                             {.mode = Mode::kFull, .rates = {500, 501}, .loader = "thread-pool", .workers = 2}});
  result.datasets[0].info.access = Access::kFiles;
  for (Trial& trial : result.cells[0].trials) test::spend(trial, 2, {{WorkerStage::kRead, 1}});
  EXPECT_THAT(sentence_of(result), Not(HasSubstr("spend"))) << "which is of FULL, where there is one";
  std::vector<Trial>& full = result.cells[2].trials;
  test::spend(full[0], 2, {{WorkerStage::kDecode, 0.77}, {WorkerStage::kTransform, 0.23}});
  test::spend(full[1], 2, {{WorkerStage::kDecode, 0.79}, {WorkerStage::kTransform, 0.21}});
  EXPECT_THAT(sentence_of(result), HasSubstr(". In FULL the 2 workers spend 78 ± 13 % of their time decoding."));
  result.cells.pop_back();
  EXPECT_THAT(sentence_of(result), HasSubstr(". In IO the 2 workers spend 100.0 ± 0.0 % of their time reading."));
}

TEST(Judgement, SaysWhatDisturbedFullAlone) {
  Result result = runnable(0);
  Result full = result_of({{.mode = Mode::kFull, .rates = {500, 500}, .loader = "thread-pool", .workers = 2}});
  for (Trial& trial : full.cells[0].trials) {
    trial.usage.user_cpu_seconds = trial.wall_seconds;
    trial.usage.run_delay_seconds = 1.5 * trial.wall_seconds;
  }
  result.cells.push_back(full.cells[0]);
  const Configuration of_both = judge_run(result).configurations[0];
  EXPECT_THAT(of_both.verdict.sentence,
              testing::EndsWith(" Other processes kept its threads off the CPUs for at least 50 % of their time in "
                                "FULL: measure again without them, or on dedicated CPUs."));
  EXPECT_THAT(
      of_both.verdict.brief,
      testing::EndsWith(" Other processes kept its threads off the CPUs for at least 50 % of their time in FULL."));
  EXPECT_THAT(of_both.verdict.briefest, HasSubstr(" Other processes kept its threads off the CPUs"));
  EXPECT_THAT(of_both.causes->named, testing::IsEmpty());
  EXPECT_THAT(of_both.causes_in_full->named, testing::ElementsAre(Cause::kContention));
  for (Trial& trial : result.cells[0].trials) trial.usage.run_delay_seconds = 1.5 * trial.wall_seconds;
  EXPECT_THAT(judge_run(result).configurations[0].causes_in_full->named, testing::IsEmpty()) << "said of IO";
}

TEST(Judgement, ComparesFullWithWhatIsFilledWithoutADrain) {
  Result result = result_of({
      {.mode = Mode::kIo, .rates = {606, 608, 604}},
      {.mode = Mode::kSynthetic, .rates = {1000, 1001, 999}},
      {.mode = Mode::kFull, .rates = {875, 876, 874}},
  });
  EXPECT_EQ(judge_run(result).configurations[0].verdict.bound, Bound::kUnclear);
  // IO took 16.5 s for 100 batches, and its consumer waited for 11.2 s of that: at most 893 a second without the drain.
  Result waited = result;
  for (Trial& trial : waited.cells[0].trials) trial.wait.total_seconds = static_cast<double>(trial.samples) / 893;
  EXPECT_EQ(judge_run(waited).configurations[0].verdict.bound, Bound::kLoader);
  for (Trial& trial : result.cells[0].trials) {
    trial.fill = Fill{.wall_seconds = trial.wall_seconds, .batches = 145, .samples = trial.samples * 145 / 100};
  }
  const Verdict measured = judge_run(result).configurations[0].verdict;
  EXPECT_EQ(measured.bound, Bound::kLoader);
  EXPECT_TRUE(measured.supply_measured);
  EXPECT_NEAR(measured.supply->value, 0.8787, 1e-4);
}

TEST(Judgement, HoldsEveryConfigurationToTheRequestedUtilisation) {
  Result result = result_of({
      {.mode = Mode::kSynthetic, .rates = {1000, 1000}},
      {.mode = Mode::kFull, .rates = {800, 800}},
      {.mode = Mode::kFull, .rates = {950, 950}, .loader = "thread-pool", .workers = 2},
  });
  EXPECT_FALSE(judge_run(result).configurations[0].verdict.goal.has_value());
  result.options.au = 0.9;
  const Judgement judgement = judge_run(result);
  EXPECT_EQ(judgement.configurations[0].verdict.goal->standing, Standing::kMissed);
  EXPECT_EQ(judgement.configurations[1].verdict.goal->standing, Standing::kMet);
}

TEST(Judgement, DoesNotAdviseAFasterLoaderWhereNoneCanBeMuchFaster) {
  const auto advice = [](double ceiling_rate) {
    Result result = result_of({
        {.mode = Mode::kIo, .rates = {500, 500, 500}, .loader = "thread-pool", .workers = 4},
        {.mode = Mode::kSynthetic, .rates = {1000, 1000, 1000}},
        {.mode = Mode::kFull, .rates = {490, 490, 490}, .loader = "thread-pool", .workers = 4},
    });
    for (Trial& trial : result.cells[0].trials) {
      trial.fill = Fill{.wall_seconds = trial.wall_seconds, .batches = trial.batches, .samples = trial.samples};
    }
    add_ceiling(result, ceiling("gather-drain", 4), {ceiling_rate, ceiling_rate, ceiling_rate}, {0});
    return judge_run(result).configurations[0].verdict.sentence;
  };
  EXPECT_THAT(advice(520),
              testing::HasSubstr("no --loader can be much faster on these CPUs, so give each sample less work"));
  EXPECT_THAT(advice(700), testing::HasSubstr("so use a faster --loader, give each sample less work"));
}

TEST(Judgement, KnowsTheTimeOfABatchAndOfTheHarness) {
  const Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 2000}}, overhead()});
  EXPECT_DOUBLE_EQ(*seconds_per_batch(result.cells[0]), 0.075);
  EXPECT_DOUBLE_EQ(*overhead_seconds_per_batch(result), 1e-6);
  EXPECT_EQ(overhead_seconds_per_batch(result_of({{.mode = Mode::kIo, .rates = {1000}}})), std::nullopt);
}

}  // namespace
}  // namespace loadline
