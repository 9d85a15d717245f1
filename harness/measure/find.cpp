#include "harness/measure/find.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "harness/judge/filling.h"
#include "harness/judge/judgement.h"
#include "harness/judge/statistics.h"
#include "harness/measure/best.h"
#include "harness/measure/prepare.h"
#include "harness/measure/run.h"
#include "harness/measure/search.h"
#include "harness/plan/find.h"
#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::size_t kProbeTrials = 3;  // of each mode: the fewest with a useful lower bound; a full run decides

const CellResult& cell_of(const std::vector<CellResult>& cells, Mode mode) {
  return *std::ranges::find(cells, mode, [](const CellResult& cell) { return cell.cell.mode; });
}

void throw_if_failed(const std::vector<CellResult>& cells) {
  for (const CellResult& cell : cells) {
    if (cell.error) throw Error(fmt::format("{}: {}", cell.cell.name(), *cell.error));
  }
}

class Finder {
 public:
  Finder(const RunOptions& options, const PlanContext& plan_context, Result& result, RunContext& context)
      : options_(options),
        kind_(find_kind_named(options.find)),
        plan_context_(plan_context),
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
                .hung = context.hung} {
    result_.search = Search{.kind = options.find, .utilisation = *options.au};
  }

  // Returns false when stopped.
  bool search() {
    const auto range = range_of_search();
    if (!range) return false;
    while (const auto next = next_try(*result_.search, *range)) {
      if (!(next->confirms ? run_whole(next->value) : run_probe(next->value))) return false;
      const auto& cells = next->confirms ? result_.cells : probed_;
      enter({.value = next->value,
             .synthetic = rates_of(cell_of(cells, Mode::kSynthetic)),
             .full = rates_of(cell_of(cells, Mode::kFull)),
             .confirms = next->confirms},
            *range, *result_.search);
      context_.observer.on_probe(result_);
      if (context_.stop.stop_requested()) return false;
    }
    return true;
  }

 private:
  // None when stopped.
  std::optional<SearchRange> range_of_search() {
    SearchRange range{.least = least_of(options_), .most = most_of(options_, plan_context_.threads_in_force)};
    if (kind_.whole) return range;
    const auto rate = filling_rate();
    if (!rate) return std::nullopt;
    range.start = *rate;
    return range;
  }

  // Returns false when stopped, like the next.
  bool run_whole(double value) {
    const Plan plan = make_plan(at_value(options_, value), plan_context_);
    prepare_again(plan, result_, context_);
    if (!run_plan(plan, result_, context_)) return false;
    throw_if_failed(result_.cells);
    return true;
  }

  bool run_probe(double value) {
    RunOptions at = at_value(options_, value);
    at.modes = {"synthetic", "full"};
    auto cells = measure(make_plan(at, plan_context_).cells);
    if (!cells) return false;
    probed_ = std::move(*cells);
    return true;
  }

  // The device begins to wait at about the rate at which the loader fills.
  std::optional<double> filling_rate() {
    Cell io = cell_of(result_.cells, Mode::kFull).cell;
    io.mode = Mode::kIo;
    io.compute = "drain";
    const auto cells = measure({io});
    if (!cells) return std::nullopt;
    return summarize(filling_of(&cells->front(), nullptr).rates).mean;
  }

  // Short trials of all cells except OVERHEAD, again if the process was stopped during one; nullopt when the run is.
  std::optional<std::vector<CellResult>> measure(const std::vector<Cell>& wanted) {
    constexpr int kMostTries = 3;
    const auto suspended = [](const CellResult& cell) { return std::ranges::any_of(cell.trials, &Trial::suspended); };
    auto cells = measure_once(wanted);
    for (int tries = 1; tries < kMostTries && cells && std::ranges::any_of(*cells, suspended); ++tries) {
      cells = measure_once(wanted);
    }
    return cells;
  }

  std::optional<std::vector<CellResult>> measure_once(const std::vector<Cell>& wanted) {
    std::vector<CellResult> cells;
    for (const Cell& cell : wanted) {
      if (cell.mode == Mode::kOverhead) continue;
      const Mode like = uses_loader(cell.mode) ? Mode::kFull : Mode::kSynthetic;
      cells.push_back({.cell = cell, .dataset = cell_of(result_.cells, like).dataset});
    }
    RunOptions short_ones = options_;
    short_ones.trials = kProbeTrials;
    short_ones.until_ci.reset();
    if (!run_further(short_ones, result_, cells, silent_)) return std::nullopt;
    throw_if_failed(cells);
    return cells;
  }

  const RunOptions& options_;
  const FindKind& kind_;
  const PlanContext& plan_context_;
  Result& result_;
  RunContext& context_;
  RunObserver nobody_;
  RunContext silent_;               // one line per probe, not per trial
  std::vector<CellResult> probed_;  // of the last probe
};

}  // namespace

bool find_and_run(const RunOptions& options, const PlanContext& plan_context, Result& result, RunContext& context) {
  if (options.find == kFindBest) return find_best_and_run(options, plan_context, result, context);
  Finder finder(options, plan_context, result, context);
  return finder.search();
}

}  // namespace loadline
