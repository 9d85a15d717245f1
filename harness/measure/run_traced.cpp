#include "harness/measure/run_traced.h"

#include <fmt/format.h>

#include <optional>

#include "harness/measure/cache.h"
#include "harness/measure/rig_store.h"
#include "harness/measure/schedule.h"
#include "harness/measure/trace.h"
#include "harness/measure/watch.h"
#include "harness/measure/within_run.h"
#include "loaders/error.h"

namespace loadline {
namespace {

class Tracer {
 public:
  Tracer(Result& result, RunContext& context)
      : result_(result),
        options_(result.options),
        cells_(result.cells),
        context_(context),
        end_(end_of(result.options, context)),
        rigs_(result, result.cells, context),
        cache_(result, result.cells, context.clock) {}

  // All cells, so many trials each.
  TraceOutcome trace(const TraceOptions& options) {
    const auto wanted = [](const CellResult& cell) { return cell.cell.mode != Mode::kOverhead && !cell.error; };
    std::size_t tracks = 0;
    TraceOutcome outcome;
    for (const CellResult& cell : cells_) {
      if (!wanted(cell)) continue;
      ++outcome.cells;
      tracks += options.trials * tracks_of(cell.cell);
    }
    for (std::size_t i = 0; i < cells_.size() && outcome.done; ++i) {
      if (!wanted(cells_[i])) continue;
      if (!has_time_for(options.trials, cells_[i])) {
        ++outcome.without_time;
        continue;
      }
      for (std::size_t k = 0; k < options.trials && outcome.done; ++k) {
        options.begins(cells_[i]);
        std::optional<TrialTrace> trace;
        try {
          trace = trace_cell(i, k, limits_of_tracks(tracks));
        } catch (const Error& error) {
          outcome.failures.push_back(fmt::format("cannot trace {}: {}", cells_[i].cell.name(), error.what()));
          break;
        }
        outcome.done = trace.has_value();
        if (trace) options.take(*trace, cells_[i]);
      }
    }
    return outcome;
  }

 private:
  bool has_time_for(std::size_t trials, const CellResult& cell) const {
    if (!end_) return true;
    const double seconds = trial_seconds(cell, info_of(cell), options_, context_.tried);
    return context_.clock.now() + time_of(static_cast<double>(trials) * seconds) <= *end_;
  }

  // The k-th of its traced trials. nullopt when stopped.
  std::optional<TrialTrace> trace_cell(std::size_t i, std::size_t k, const TraceLimits& limits) {
    if (context_.stop.stop_requested()) return std::nullopt;
    const CellResult& cell = cells_[i];
    check_dataset(context_.watches, result_, cell.dataset);
    const Rig& its_rig = rigs_.rig(i);
    cache_.before_trial(cell, rigs_.datasets(), context_.stop);
    const std::size_t round = rounds_of(cell.trials) + k;
    TrialOptions how = trial_options(options_, round, context_);
    how.energy = nullptr;  // nothing of it is kept
    how.counters = nullptr;
    auto trace = measure_safely(cell.cell, end_, context_, [&](const std::stop_token& stop) {
      return trace_trial(its_rig, how, limits, context_.clock, stop);
    });
    if (trace) trace->number = k;
    return trace;
  }

  const DatasetInfo& info_of(const CellResult& cell) const { return result_.datasets[cell.dataset].info; }

  Result& result_;
  const RunOptions& options_;
  const std::vector<CellResult>& cells_;
  RunContext& context_;
  std::optional<Time> end_;
  RigStore rigs_;
  PageCache cache_;
};

}  // namespace

TraceOutcome run_traced(const TraceOptions& options, Result& result, RunContext& context) {
  return Tracer(result, context).trace(options);
}

}  // namespace loadline
