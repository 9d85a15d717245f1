#include "harness/judge/grid.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

// A search among three candidates, which would take four trials each in the whole grid. Two finalists have two trials
// of their own.
Result searched() {
  Result result = test::result_of({{.mode = Mode::kSynthetic, .rates = {500, 500}},
                                   {.mode = Mode::kFull, .rates = {90, 92}},
                                   {.mode = Mode::kFull, .rates = {100, 102}, .loader = "thread-pool", .workers = 2},
                                   {.mode = Mode::kIo, .rates = {900, 900, 900}}});
  result.best = Best{.trials = 4, .probe_share = 0.25, .winner = result.cells[2].cell.name()};
  result.best->candidates = {{.cell = result.cells[1].cell.name(), .probes = {91, 90, 89}},
                             {.cell = result.cells[2].cell.name(), .probes = {99, 98, 97}},
                             {.cell = "other", .probes = {50}}};
  return result;
}

TEST(CostOfSearch, CountsProbesByTheirLength) {
  const SearchCost cost = cost_of_search(searched());
  EXPECT_EQ(cost.probes, 7U);
  EXPECT_EQ(cost.trials, 4U) << "of FULL alone";
  EXPECT_DOUBLE_EQ(cost.worth, 5.75);
  EXPECT_EQ(cost.grid, 12U);
}

TEST(CostOfSearch, TakesTheTrialsOfAFinalistForThoseOfEachUntilAnIntervalIsNarrow) {
  Result result = searched();
  result.options.until_ci = 0.01;
  result.cells[2].trials.resize(5, result.cells[2].trials.front());
  EXPECT_EQ(cost_of_search(result).trials, 7U);
  EXPECT_EQ(cost_of_search(result).grid, 11U) << "three times 3.5";
  for (CellResult& cell : result.cells) cell.trials.clear();
  EXPECT_EQ(cost_of_search(result).grid, 12U) << "no finalist has trials";
}

TEST(StandingInGrid, ComparesTheWinnerWithTheBestOfTheGrid) {
  Best best = *searched().best;
  EXPECT_FALSE(standing_in_grid(best).has_value()) << "it was not measured";
  best.candidates[0].grid = {80, 80};
  best.candidates[1].grid = {98, 98};
  best.candidates[2].grid = {100, 100};
  const auto standing = standing_in_grid(best);
  ASSERT_TRUE(standing.has_value());
  EXPECT_EQ(standing->best, 2U);
  EXPECT_DOUBLE_EQ(standing->reached.value, 0.98);
  best.winner.reset();
  EXPECT_FALSE(standing_in_grid(best).has_value());
}

TEST(StandingInGrid, IsOneWhereTheWinnerIsTheBest) {
  Best best = *searched().best;
  for (Candidate& candidate : best.candidates) candidate.grid = {candidate.probes[0], candidate.probes[0]};
  EXPECT_DOUBLE_EQ(standing_in_grid(best)->reached.value, 1);
}

}  // namespace
}  // namespace loadline
