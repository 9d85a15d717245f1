#include "harness/show/best_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using testing::HasSubstr;

Result searched_grid() {
  Result result = test::result_of({{.mode = Mode::kFull, .rates = {990, 1010}, .loader = "thread-pool", .workers = 2},
                                   {.mode = Mode::kFull, .rates = {890, 910}, .loader = "thread-pool", .workers = 4}});
  for (CellResult& cell : result.cells) {
    cell.cell.prefetch = 4;
    cell.cell.axes = {"prefetch"};
  }
  result.options.workloads = {"mnist"};
  result.options.loaders = {"thread-pool"};
  result.options.find = "best";
  result.best = Best{.trials = 5, .probe_share = 0.25, .rungs = {{.candidates = 4, .probes = 1, .kept = 2}}};
  result.best->candidates = {{.cell = result.cells[0].cell.name(), .probes = {980}},
                             {.cell = result.cells[1].cell.name(), .probes = {900}},
                             {.cell = "slow", .probes = {100}},
                             {.cell = "broken", .error = "of no use"}};
  result.best->winner = result.cells[0].cell.name();
  return result;
}

std::string best_text_of(const Result& result) {
  return best_text(result, judge_run(result));
}

TEST(BestText, NamesTheWinnerWhoseCommandTheRecommendationGives) {
  EXPECT_EQ(best_text_of(searched_grid()),
            "best of 4 candidates: mnist/FULL/thread-pool/workers:2/batch:100/prefetch:4, 1.00 ± 0.13 k samples/s in 2 "
            "trials of its own; no other finalist is more than 5 % faster\n"
            "It took 3 probes and 4 trials, the cost of measuring 4.75 of the 20 trials of the whole grid (24 %).\n");
}

// It used to say that the search took 1005 % of the trials of the whole grid.
TEST(BestText, EstimatesTheGridOfARunUntilIntervalsAreNarrow) {
  Result result = searched_grid();
  result.options.until_ci = 0.01;
  result.cells[0].trials.resize(30, test::trial_of(1000, 100));
  result.cells[1].trials.resize(10, test::trial_of(900, 100));
  EXPECT_THAT(best_text_of(result), HasSubstr("It took 3 probes and 40 trials, the cost of measuring 40.8 of about 80 "
                                              "trials of the whole grid (51 %).\n"));
}

TEST(BestText, GivesTheCommandOfASingleFinalist) {
  Result result = searched_grid();
  result.cells.pop_back();
  EXPECT_THAT(
      best_text_of(result),
      HasSubstr("\n  loadline run --workload mnist --loader thread-pool --workers 2 --batch-size 100 --prefetch 4\n"));
}

// It used to compare a single finalist with the others.
TEST(BestText, ComparesASingleFinalistWithNoOther) {
  Result result = searched_grid();
  result.cells.pop_back();
  result.best->rungs.clear();
  result.best->candidates.resize(1);
  EXPECT_THAT(best_text_of(result), HasSubstr("samples/s in 2 trials of its own\n"));
}

TEST(BestText, SaysHowCloseToTheBestOfTheGridTheSearchCame) {
  Result result = searched_grid();
  result.best->candidates[0].grid = {980, 980};
  result.best->candidates[1].grid = {1000, 1000};
  EXPECT_TRUE(
      best_text_of(result).ends_with("In 5 trials of the whole grid it reached 98.0 ± 0.0 % of the best, "
                                     "mnist/FULL/thread-pool/workers:4/batch:100/prefetch:4.\n"))
      << best_text_of(result);
}

TEST(BestText, SaysWhereTheFinalistsCannotBeToldApart) {
  Result result = searched_grid();
  result.best->winner.reset();
  result.status = Status::kComplete;
  result.cells[1].trials = {test::trial_of(970, 100), test::trial_of(1030, 100)};
  EXPECT_EQ(best_text_of(result),
            "best of 4 candidates: unclear; no finalist is shown to be the best within 5 %; about 7 trials would "
            "decide (--trials).\n"
            "It took 3 probes and 4 trials, the cost of measuring 4.75 of the 20 trials of the whole grid (24 %).\n");
}

TEST(BestText, IsEmptyWithoutAWinner) {
  Result result = searched_grid();
  result.best->winner.reset();
  EXPECT_EQ(best_text_of(result), "");
  result.best->winner = "not among the cells";
  EXPECT_EQ(best_text_of(result), "");
  result.best.reset();
  EXPECT_EQ(best_text_of(result), "");
}

TEST(RungText, NamesTheLeaderOfThoseThatAreLeft) {
  Best best = *searched_grid().best;
  EXPECT_EQ(rung_text(best),
            "rung 1: 4 candidates, 1 probe each, 2 go on; "
            "mnist/FULL/thread-pool/workers:2/batch:100/prefetch:4 leads")
      << "a single probe has no interval";
  best.rungs.push_back({.candidates = 2, .probes = 2, .kept = 1});
  best.candidates[0].probes = {780, 700, 700};
  best.candidates[1].probes = {801, 800, 799};
  best.candidates[2].probes = {5000};
  EXPECT_EQ(rung_text(best),
            "rung 2: 2 candidates, 2 probes each, 1 go on; "
            "mnist/FULL/thread-pool/workers:4/batch:100/prefetch:4 leads with 800 ± 2 samples/s");
}

TEST(BestScopeText, CountsProbesAndTrials) {
  const Result prepared = test::result_of(std::vector<test::CellRequest>(24, {.mode = Mode::kFull, .rates = {}}));
  // Trials take 0.72 s. The 72 probes cost as much as 18 trials, and 3 finalists have 5 in each of 3 modes.
  EXPECT_EQ(best_scope_text(prepared, {}),
            "24 candidates: 72 probes, each 0.25 of a trial, then 5 trials of each of the best 3, about 45.4 s");
}

TEST(BestScopeText, MentionsNoProbesWhereAllCandidatesAreFinalists) {
  const auto text = [](std::size_t candidates) {
    const std::vector<test::CellRequest> cells(candidates, {.mode = Mode::kFull, .rates = {}});
    return best_scope_text(test::result_of(cells), {});
  };
  EXPECT_EQ(text(1), "1 candidate: 5 trials, about 10.8 s");
  EXPECT_EQ(text(2), "2 candidates: 5 trials of each, about 21.6 s");
}

}  // namespace
}  // namespace loadline
