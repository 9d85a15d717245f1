#include "harness/judge/grid.h"

#include <algorithm>

namespace loadline {

SearchCost cost_of_search(const Result& result) {
  const Best& best = *result.best;
  SearchCost cost{.grid = best.candidates.size() * best.trials};
  for (const Candidate& candidate : best.candidates) cost.probes += candidate.probes.size();
  std::size_t finalists = 0;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.mode != best.mode || cell.trials.empty()) continue;
    ++finalists;
    cost.trials += cell.trials.size();
  }
  // The others would have had to reach the same interval. What that takes is known of the finalists only.
  if (result.options.until_ci && finalists > 0) {
    cost.grid = (best.candidates.size() * cost.trials + finalists / 2) / finalists;
  }
  cost.worth = static_cast<double>(cost.trials) + best.probe_share * static_cast<double>(cost.probes);
  return cost;
}

std::optional<GridStanding> standing_in_grid(const Best& best) {
  const auto winner = std::ranges::find_if(best.candidates, [&](const auto& one) { return one.cell == best.winner; });
  if (winner == best.candidates.end() || winner->grid.empty()) return std::nullopt;
  GridStanding standing{};
  double fastest = 0;
  for (std::size_t i = 0; i < best.candidates.size(); ++i) {
    if (best.candidates[i].grid.empty()) continue;
    const double rate = summarize(best.candidates[i].grid).mean;
    if (rate <= fastest) continue;
    fastest = rate;
    standing.best = i;
  }
  standing.reached = log_welch_ratio(best.candidates[standing.best].grid, winner->grid);
  return standing;
}

}  // namespace loadline
