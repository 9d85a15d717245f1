#include "harness/show/best_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/judge/grid.h"
#include "harness/judge/phrase.h"
#include "harness/judge/statistics.h"
#include "harness/measure/best.h"
#include "harness/measure/schedule.h"
#include "harness/plan/find.h"
#include "harness/show/columns.h"
#include "harness/show/recommendation_text.h"

namespace loadline {
namespace {

double mean_of_rates(const std::vector<double>& rates) {
  return rates.empty() ? 0 : summarize(rates).mean;
}

std::string standing_text(const Best& best) {
  const auto standing = standing_in_grid(best);
  if (!standing || !standing->reached.ci95) return "";
  return fmt::format("In {} of the whole grid it reached {} of the best, {}.\n", plural(best.trials, "trial"),
                     percent({standing->reached.value, standing->reached.ci95}), best.candidates[standing->best].cell);
}

std::string cost_text(const Result& result) {
  const SearchCost cost = cost_of_search(result);
  return fmt::format("It took {} and {}, the cost of measuring {} of {} {} of the whole grid ({:.0f} %).\n",
                     plural(cost.probes, "probe"), plural(cost.trials, "trial"), plain_number(cost.worth, 3),
                     result.options.until_ci ? "about" : "the", plural(cost.grid, "trial"),
                     100 * cost.worth / static_cast<double>(cost.grid));
}

// " with 800 ± 12 samples/s"; empty for a single probe, which has no interval.
std::string probed_rate_text(const Candidate& candidate) {
  if (candidate.probes.size() < 2) return "";
  const Summary probed = summarize(candidate.probes);
  return fmt::format(" with {} samples/s", rate(Estimate{probed.mean, probed.ci95}));
}

// Whether the recommendation already gives this cell's command.
bool is_recommended(const Judgement& judgement, std::size_t cell) {
  return std::ranges::any_of(judgement.headlines, [&](const Headline& headline) {
    if (!headline.recommended || headline.candidates < 2) return false;
    const Configuration& use = judgement.configurations[*headline.recommended];
    return use.full == cell || (!use.full && use.io == cell);
  });
}

}  // namespace

std::string best_scope_text(const Result& prepared, const RunOptions& options, const TriedCells& tried) {
  const bool any_full =
      std::ranges::any_of(prepared.cells, [](const CellResult& cell) { return cell.cell.mode == Mode::kFull; });
  std::size_t candidates = 0;
  double candidate_seconds = 0;  // a trial of each
  for (const CellResult& cell : prepared.cells) {
    if (cell.cell.mode != (any_full ? Mode::kFull : Mode::kIo)) continue;
    ++candidates;
    candidate_seconds += trial_seconds(cell, prepared.datasets[cell.dataset].info, options, tried);
  }
  std::size_t probes = 0;
  std::size_t finalists = candidates;
  for (const Rung& rung : rungs_for(candidates)) {
    probes += rung.candidates * rung.probes;
    finalists = rung.kept;
  }
  const double worth = kProbeShare * static_cast<double>(probes) +
                       static_cast<double>(finalists * options.trials * options.modes.size());
  const std::string trials = plural(options.trials, "trial");
  // So few that all are finalists need no probes.
  const std::string steps = probes == 0 ? fmt::format("{}{}", trials, candidates == 1 ? "" : " of each")
                                        : fmt::format("{}, each {} of a trial, then {} of each of the best {}",
                                                      plural(probes, "probe"), kProbeShare, trials, finalists);
  return fmt::format("{}: {}, about {}", plural(candidates, "candidate"), steps,
                     time_text(worth * candidate_seconds / static_cast<double>(candidates)));
}

std::string rung_text(const Best& best) {
  const Rung& rung = best.rungs.back();
  std::size_t most_probes = 0;
  for (const Candidate& candidate : best.candidates) most_probes = std::max(most_probes, candidate.probes.size());
  // Probes of earlier rungs may have been lucky.
  const auto ahead = std::ranges::max(best.candidates, {}, [&](const Candidate& candidate) {
    return candidate.probes.size() == most_probes ? mean_of_rates(candidate.probes) : 0;
  });
  return fmt::format("rung {}: {}, {} each, {} go on; {} leads{}", best.rungs.size(),
                     plural(rung.candidates, "candidate"), plural(rung.probes, "probe"), rung.kept, ahead.cell,
                     probed_rate_text(ahead));
}

std::string best_text(const Result& result, const Judgement& judgement) {
  if (!result.best) return "";
  const Best& best = *result.best;
  const std::string candidates = plural(best.candidates.size(), "candidate");
  if (!best.winner) {
    if (result.status != Status::kComplete || judgement.headlines.empty()) return "";
    return fmt::format("best of {}: unclear; no finalist is shown to be the best within {}; {}.\n{}", candidates,
                       plain_percent(kNoticeable), more_trials_text(result, judgement.headlines.front()),
                       cost_text(result));
  }
  const auto winner =
      std::ranges::find(result.cells, *best.winner, [](const CellResult& cell) { return cell.cell.name(); });
  if (winner == result.cells.end() || winner->trials.empty()) return "";
  const auto cell = static_cast<std::size_t>(winner - result.cells.begin());
  const Summary& confirmed = *judgement.cells[cell].samples_per_second;
  const RunOptions grid = with_best_grid(result.options, result.environment.machine.threads_in_force);
  const std::string command =
      is_recommended(judgement, cell) ? "" : fmt::format("  {}\n", command_text(result, grid, *winner));
  const std::size_t finalists = best.rungs.empty() ? best.candidates.size() : best.rungs.back().kept;
  const std::string others =
      finalists == 1 ? "" : fmt::format("; no other finalist is more than {} faster", plain_percent(kNoticeable));
  return fmt::format("best of {}: {}, {} samples/s in {} of its own{}\n{}{}{}", candidates, *best.winner,
                     rate(Estimate{confirmed.mean, confirmed.ci95}), plural(confirmed.count, "trial"), others, command,
                     cost_text(result), standing_text(best));
}

}  // namespace loadline
