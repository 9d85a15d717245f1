#include "harness/measure/best.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>

#include "harness/judge/judgement.h"
#include "harness/judge/statistics.h"
#include "harness/measure/prepare.h"
#include "harness/measure/run.h"
#include "harness/plan/settings.h"
#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::size_t kMostFinalists = 3;

using P = SettingPart;

// Keeps only the cells of a plan that matter for the chosen ones: their own IO and FULL, and SYNTHETIC with the same
// batches.
void keep_configurations(const std::vector<Cell>& chosen, Plan& plan) {
  std::unordered_set<std::string> loading;
  std::unordered_set<std::string> subjects;
  for (const Cell& cell : chosen) {
    loading.insert(loading_key(cell));
    subjects.insert(key_of(cell, {P::kSubject}));
  }
  std::erase_if(plan.cells, [&](const Cell& cell) {
    if (cell.mode == Mode::kOverhead) return false;
    return cell.loader ? !loading.contains(loading_key(cell)) : !subjects.contains(key_of(cell, {P::kSubject}));
  });
}

RunOptions probe_options(const RunOptions& options, std::size_t probes) {
  RunOptions short_ones = options;
  short_ones.trials = probes;
  short_ones.trial_seconds *= kProbeShare;
  if (options.trial_batches) {
    const double batches = std::ceil(kProbeShare * static_cast<double>(*options.trial_batches));
    short_ones.trial_batches = static_cast<std::size_t>(batches);
  }
  short_ones.until_ci.reset();
  return short_ones;
}

class BestFinder {
 public:
  BestFinder(const RunOptions& options, const PlanContext& plan_context, Result& result, RunContext& context)
      : options_(options),
        plan_(make_plan(options, plan_context)),
        result_(result),
        context_(context),
        silent_{.clock = context.clock,
                .stop = context.stop,
                .observer = nobody_,
                .start = context.start,
                .rigs = context.rigs,
                .tried = context.tried,
                .peak_rss_bytes = context.peak_rss_bytes,
                .processes = context.processes,
                .cpu_limits = context.cpu_limits,
                .energy = context.energy,
                .counters = context.counters,
                .times_resumed = context.times_resumed,
                .give_up = context.give_up,
                .hung = context.hung},
        best_(result.best.emplace()) {
    const bool any_full =
        std::ranges::any_of(result.cells, [](const CellResult& cell) { return cell.cell.mode == Mode::kFull; });
    best_.mode = any_full ? Mode::kFull : Mode::kIo;
    best_.trials = options.trials;
    const RunOptions probe = probe_options(options, 1);
    best_.probe_share = options.trial_batches
                            ? static_cast<double>(*probe.trial_batches) / static_cast<double>(*options.trial_batches)
                            : kProbeShare;
    for (const CellResult& cell : result.cells) {
      if (cell.cell.mode != best_.mode) continue;
      cells_.push_back({.cell = cell.cell, .dataset = cell.dataset});
      best_.candidates.push_back({.cell = cell.cell.name(),
                                  .loader = *cell.cell.loader,
                                  .workers = cell.cell.workers,
                                  .prefetch = cell.cell.prefetch,
                                  .batch_size = cell.cell.sampler.batch_size});
    }
  }

  // Returns false when stopped, like the two below.
  bool climb() {
    for (std::size_t i = 0; i < cells_.size(); ++i) left_.push_back(i);
    for (Rung rung : rungs_for(cells_.size())) {
      auto probed = measure(left_, probe_options(options_, rung.probes));
      for (std::size_t i = 0; i < left_.size(); ++i) take_probes(probed[i], best_.candidates[left_[i]]);
      if (context_.stop.stop_requested()) return false;
      keep_best(rung.kept);
      rung.kept = left_.size();
      best_.rungs.push_back(rung);
      context_.observer.on_probe(result_);
    }
    return true;
  }

  bool confirm() {
    std::vector<Cell> finalists;
    for (const std::size_t i : left_) finalists.push_back(cells_[i].cell);
    keep_configurations(finalists, plan_);
    prepare_again(plan_, result_, context_);
    if (!run_plan(plan_, result_, context_)) return false;
    best_.winner = winner();
    return true;
  }

  bool measure_grid() {
    std::vector<std::size_t> all(cells_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    RunOptions grid = options_;
    grid.until_ci.reset();
    const auto measured = measure(all, grid);
    for (std::size_t i = 0; i < all.size(); ++i) best_.candidates[i].grid = rates_of(measured[i]);
    return !context_.stop.stop_requested();
  }

 private:
  // The recommended finalist, by the finalists' own trials.
  std::optional<std::string> winner() const {
    const Judgement judgement = judge_run(result_);
    if (judgement.headlines.empty() || !judgement.headlines.front().recommended) return std::nullopt;
    const Configuration& found = judgement.configurations[*judgement.headlines.front().recommended];
    const auto cell = best_.mode == Mode::kFull ? found.full : found.io;
    const bool measured = cell && !result_.cells[*cell].trials.empty();
    return measured ? std::optional(result_.cells[*cell].cell.name()) : std::nullopt;
  }

  std::vector<CellResult> measure(const std::vector<std::size_t>& wanted, const RunOptions& options) {
    std::vector<CellResult> cells;
    for (const std::size_t i : wanted) cells.push_back(cells_[i]);
    run_further(options, result_, cells, silent_);
    return cells;
  }

  static void take_probes(const CellResult& probed, Candidate& candidate) {
    for (const double rate : rates_of(probed)) candidate.probes.push_back(rate);
    candidate.error = probed.error;
  }

  void keep_best(std::size_t kept) {
    const auto first_error = best_.candidates[left_.front()].error;
    const std::string first_name = best_.candidates[left_.front()].cell;
    std::erase_if(left_, [&](std::size_t i) { return best_.candidates[i].error.has_value(); });
    if (left_.empty()) throw Error(fmt::format("{}: {}", first_name, *first_error));
    std::ranges::stable_sort(left_, std::greater(),
                             [&](std::size_t i) { return summarize(best_.candidates[i].probes).mean; });
    left_.resize(std::min(kept, left_.size()));
  }

  const RunOptions& options_;
  Plan plan_;
  Result& result_;
  RunContext& context_;
  RunObserver nobody_;
  RunContext silent_;  // one line per rung, not per probe
  Best& best_;
  std::vector<CellResult> cells_;  // of the candidates
  std::vector<std::size_t> left_;  // candidates, the best first once there were probes
};

}  // namespace

std::vector<Rung> rungs_for(std::size_t candidates) {
  std::vector<Rung> rungs;
  for (std::size_t probes = 1; candidates > kMostFinalists; probes *= 2) {
    rungs.push_back({.candidates = candidates, .probes = probes, .kept = (candidates + 1) / 2});
    candidates = rungs.back().kept;
  }
  return rungs;
}

bool find_best_and_run(const RunOptions& options, const PlanContext& plan_context, Result& result,
                       RunContext& context) {
  BestFinder finder(options, plan_context, result, context);
  return finder.climb() && finder.confirm() && (!options.check_verdict || finder.measure_grid());
}

}  // namespace loadline
