// What a search by --find best cost, and how good its result is. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/judge/statistics.h"
#include "harness/result/result.h"

namespace loadline {

// In trials of full length; a probe counts as the fraction of a trial that it lasts.
struct SearchCost {
  std::size_t probes = 0;
  std::size_t trials = 0;  // of the finalists, in the mode that is searched in
  double worth = 0;        // of probes and trials together
  std::size_t grid = 0;    // trials that the whole grid would have taken; with until_ci at as many each as a finalist
};

// `result` has a `best`.
SearchCost cost_of_search(const Result& result);

struct GridStanding {
  std::size_t best = 0;  // index of the candidate with the highest mean over the trials of the grid
  Ratio reached;         // the winner's throughput over that candidate's, both from these trials
};

// std::nullopt where there is no winner, or the grid was not measured.
std::optional<GridStanding> standing_in_grid(const Best& best);

}  // namespace loadline
