#include "harness/measure/first_epochs.h"

#include <memory>
#include <utility>

#include "harness/measure/prepare.h"
#include "harness/measure/schedule.h"
#include "harness/measure/trial.h"
#include "harness/measure/watch.h"
#include "harness/measure/within_run.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// A first epoch is measured on a newly opened dataset: only a fresh mapping still has its page faults ahead.
std::optional<FirstEpoch> own_first_epoch(CellResult& cell, Time limit, const Result& result, PageCache& cache,
                                          RunContext& context) {
  check_dataset(context.watches, result, cell.dataset);
  const auto before = cache.before_trial(cell, {}, context.stop);
  const Time begin = context.clock.now();
  const auto dataset = context.rigs == nullptr ? open_for(cell.cell) : nullptr;
  const double open_seconds = seconds(context.clock.now() - begin);
  const auto cache_bytes = result.environment.machine.last_level_cache_bytes;
  const auto rig = dataset ? std::make_unique<CellRig>(cell.cell, *dataset, cache_bytes, gradients_of(context))
                           : context.rigs->make(cell);
  const bool own_peak = begin_own_peak(context);
  auto epoch = measure_safely(cell.cell, end_of(result.options, context), context, [&](const std::stop_token& stop) {
    return run_first_epoch(*rig, limit, context.clock, stop, context.joint);
  });
  if (!epoch) return epoch;
  check_dataset(context.watches, result, cell.dataset);
  if (!own_peak) epoch->usage.peak_rss_bytes.reset();
  epoch->open_seconds = open_seconds;
  epoch->page_cache = {.before = before, .after = cache.after_trial(cell)};
  return epoch;
}

void measure_first_epoch(CellResult& cell, Time limit, const Result& result, PageCache& cache, RunContext& context) {
  auto epoch = measure_with_others(context, [&] { return own_first_epoch(cell, limit, result, cache, context); });
  if (epoch) cell.first_epoch = std::move(epoch);
}

}  // namespace

void measure_first_epochs(const Plan& plan, Result& result, PageCache& cache, RunContext& context) {
  if (plan.options.first_epoch_seconds == 0) return;
  const Time limit = time_of(plan.options.first_epoch_seconds);
  const auto end = end_of(plan.options, context);
  for (CellResult& cell : result.cells) {
    if (!uses_loader(cell.cell.mode) || cell.first_epoch || cell.error) continue;
    if (stops(context)) return;
    if (end) {
      const Time round = time_of(round_seconds(result, plan.options, context.tried));
      if (word_of_first(context, context.clock.now() + limit + round > *end)) return;
    }
    try {
      measure_first_epoch(cell, limit, result, cache, context);
      if (cell.first_epoch) context.observer.on_first_epoch(result, cell);
    } catch (const Error& error) {
      if (ranks_failed(context)) throw;
      cell.error = error.what();
      context.observer.on_trial(result, cell);
    }
  }
}

}  // namespace loadline
