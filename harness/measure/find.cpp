#include "harness/measure/find.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

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

constexpr std::size_t kProbeTrials = 3;  // of each mode: enough to lean on for a moment, the final run decides
constexpr int kMostConfirmations = 5;

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
                .rigs = context.rigs} {
    result_.search = Search{.kind = options.find, .utilisation = *options.au};
  }

  // Returns false when stopped.
  bool search() {
    const Attempt attempt = [&](double value) { return probe(value); };
    auto& found = result_.search->found;
    if (kind_.whole) {
      found = kind_.largest ? largest_whole_enough(most(), attempt) : smallest_whole_enough(most(), attempt);
    } else if (const auto start = io_rate()) {
      found = largest_enough(*start, attempt);
    }
    return !context_.stop.stop_requested();
  }

  // Returns false when stopped.
  bool confirm() {
    auto& search = *result_.search;
    double value = search.found.value_or(least_demanding());
    for (int attempt = 0; attempt < kMostConfirmations; ++attempt) {
      const Plan plan = make_plan(at_value(options_, value), plan_context_);
      prepare_again(plan, result_, context_);
      if (!run_plan(plan, result_, context_)) return false;
      throw_if_failed(result_.cells);
      if (record(value, result_.cells, true)) {
        search.confirmed = value;
        return true;
      }
      const double next = less_demanding(value, attempt);
      if (!search.found || next == value) return true;
      value = next;
    }
    return true;
  }

 private:
  double most() const { return most_of(options_, plan_context_.threads_in_force); }

  // Of the values that were tried.
  double least_demanding() const {
    const auto& probes = result_.search->probes;
    const auto by_value = std::ranges::minmax_element(probes, {}, &Probe::value);
    return kind_.largest ? by_value.min->value : by_value.max->value;
  }

  // Longer steps with each attempt, lest a rate that is far off needs many runs.
  double less_demanding(double value, int attempt) const {
    if (!kind_.largest) return std::min(value + 1, most());
    if (kind_.whole) return std::max(value - 1, 1.0);
    return value / (1 + kSearchTolerance * std::exp2(attempt));
  }

  std::optional<bool> probe(double value) {
    RunOptions at = at_value(options_, value);
    at.modes = {"synthetic", "full"};
    auto cells = measure(make_plan(at, plan_context_).cells);
    if (!cells) return std::nullopt;
    return record(value, *cells, false);
  }

  bool record(double value, const std::vector<CellResult>& cells, bool confirms) {
    Probe probe{.value = value,
                .synthetic = rates_of(cell_of(cells, Mode::kSynthetic)),
                .full = rates_of(cell_of(cells, Mode::kFull)),
                .confirms = confirms};
    probe.enough = log_welch_ratio(probe.synthetic, probe.full).value >= *options_.au;
    result_.search->probes.push_back(std::move(probe));
    context_.observer.on_probe(result_);
    return result_.search->probes.back().enough;
  }

  // What loading alone supplies is about the rate at which the device begins to wait.
  std::optional<double> io_rate() {
    Cell io = cell_of(result_.cells, Mode::kFull).cell;
    io.mode = Mode::kIo;
    io.compute = "drain";
    const auto cells = measure({io});
    if (!cells) return std::nullopt;
    return summarize(rates_of(cells->front())).mean;
  }

  // Short trials of all but OVERHEAD; none when stopped.
  std::optional<std::vector<CellResult>> measure(const std::vector<Cell>& wanted) {
    std::vector<CellResult> cells;
    for (const Cell& cell : wanted) {
      if (cell.mode == Mode::kOverhead) continue;
      const Mode like = uses_loader(cell.mode) ? Mode::kFull : Mode::kSynthetic;
      cells.push_back({.cell = cell, .dataset = cell_of(result_.cells, like).dataset});
    }
    RunOptions short_ones = options_;
    short_ones.trials = std::min(kProbeTrials, options_.trials);
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
  RunContext silent_;  // a line a probe, not a line a trial
};

}  // namespace

bool find_and_run(const RunOptions& options, const PlanContext& plan_context, Result& result, RunContext& context) {
  if (options.find == kFindBest) return find_best_and_run(options, plan_context, result, context);
  Finder finder(options, plan_context, result, context);
  return finder.search() && finder.confirm();
}

}  // namespace loadline
