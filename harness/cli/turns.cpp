#include "harness/cli/turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <utility>

#include "harness/cli/child_run.h"
#include "harness/cli/cli.h"
#include "harness/cli/opening.h"
#include "harness/cli/progress.h"
#include "harness/cli/reporter.h"
#include "harness/judge/phrase.h"
#include "harness/machine/cpu_limits.h"
#include "harness/machine/run_id.h"
#include "harness/measure/instruments.h"
#include "harness/measure/prepare.h"
#include "harness/measure/run.h"
#include "harness/measure/schedule.h"
#include "harness/show/columns.h"
#include "loaders/error.h"

namespace loadline {
namespace {

std::string timestamp() {
  return utc_timestamp(std::chrono::system_clock::now());
}

std::string new_run_id() {
  return make_run_id(std::chrono::system_clock::now(), std::random_device{}());
}

Result begin_result(const PairsRequest& request, const RunOptions& options) {
  Result result;
  result.run_id = new_run_id();
  result.started = timestamp();
  result.arguments = request.run.arguments;
  result.options = options;
  result.options.trials = request.pairs;
  result.kernels = kernels_in(options);
  result.environment = this_environment();
  return result;
}

// Appends the trials of another run of the same side.
void append(Result& result, const Result& further, std::size_t round, std::string_view option) {
  const bool same = std::ranges::equal(
      result.cells, further.cells, {}, [](const CellResult& c) { return c.cell.name(); },
      [](const CellResult& c) { return c.cell.name(); });
  if (!same) throw Error(fmt::format("{}: two of its runs had different cells", option));
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    for (Trial trial : further.cells[i].trials) {
      trial.round = round;
      trial.place = round * result.cells.size() + trial.place;
      result.cells[i].trials.push_back(std::move(trial));
    }
  }
}

// Whether there are complete pairs to keep. The first pair, which is discarded, has the round number after all
// others.
bool is_whole(const Result& both, std::size_t pairs) {
  const std::size_t half = both.cells.size() / 2;
  bool any = false;
  for (std::size_t i = 0; i < half; ++i) {
    const CellResult& base = both.cells[i];
    const CellResult& changed = both.cells[i + half];
    if (base.error || changed.error) continue;
    if (base.trials.size() != changed.trials.size()) return false;
    if (base.trials.empty()) continue;
    if (base.trials.back().round >= pairs || changed.trials.back().round >= pairs) return false;
    any = true;
  }
  return any;
}

}  // namespace

Turns take_turns_here(const PairsRequest& request, const Side& base, const Side& changed, Interrupt& interrupt,
                      const PairsSaver& saver) {
  SteadyClock clock;
  const auto began_at = std::chrono::system_clock::now();
  const Time began = clock.now();
  Result both = begin_result(request, base.options);
  const Plan plan = plan_pairs(base.options, changed.options, this_context());
  RunOptions others = changed.options;
  others.trials = request.pairs;
  const std::string changed_run_id = new_run_id();
  const auto split = [&](const Result& result) { return split_sides(result, both.options, others, changed_run_id); };
  const auto save = [&](const Result& result) -> std::optional<std::string> {
    if (is_whole(result, request.pairs) && saver.due()) saver.save(split(result));
    return std::nullopt;
  };
  Reporter reporter(both.options, save, clock);
  Turns turns;
  RunContext context{
      .clock = clock,
      .stop = interrupt.token(),
      .observer = reporter,
      .try_computes = true,
      .cpu_limits = cpu_limits_now,
      .times_resumed = [&interrupt] { return interrupt.times_resumed(); },
      .give_up = [&interrupt](const Cell&, const std::string& why) { end_process_stuck(why, interrupt.signal()); },
      .hung = &turns.hung};
  Instruments instruments(both.options);
  instruments.attach(context);
  instruments.start(plan.cells, {}, context);
  Opening opening(nullptr, clock, interrupt.token(), [&] { return interrupt.signal(); });
  bool prepared = false;
  opening.run([&] { prepared = prepare_run(plan, both, context); });
  if (prepared) {
    // Pairs have no first epochs.
    RunOptions measured = both.options;
    measured.first_epoch_seconds = 0;
    reporter.expect(TimeLeft(measured, true, context.tried));
    reporter.progress().milestone(
        fmt::format("{} of {}, after a warm-up", plural(request.pairs, "pair"), plural(both.cells.size() / 2, "cell")));
    turns.complete = run_pairs(request.pairs, both, context);
  }
  both.status = turns.complete ? Status::kComplete : Status::kPartial;
  both.finished = utc_timestamp(began_at + clock.now() - began);
  instruments.note(both);
  turns.sides = split(both);
  return turns;
}

Turns take_turns_in_processes(const PairsRequest& request, const Side& base, const Side& changed, Interrupt& interrupt,
                              const PairsSaver& saver) {
  ChildRuns runs(1);
  Progress progress(request.run.options.quiet);
  std::optional<Result> results[2];
  const Side* sides[2]{&base, &changed};
  Turns turns{.sides = {}, .complete = true};
  for (std::size_t pair = 0; pair <= request.pairs && turns.complete; ++pair) {
    for (const std::size_t i : pair_order(request.run.options.seed, pair, 1)) {
      const auto result = runs.run(*sides[i], interrupt.token());
      if (!result) {
        turns.complete = false;
        break;
      }
      if (pair == 0) continue;  // not kept
      if (!results[i]) {
        results[i] = *result;
        results[i]->options.trials = request.pairs;
        results[i]->status = Status::kPartial;
        results[i]->finished.reset();
        results[i]->arguments = request.run.arguments;
        results[i]->monitor.reset();  // of the first of many processes, each with its own clock
        for (CellResult& cell : results[i]->cells) cell.trials.clear();
      }
      append(*results[i], *result, pair - 1, sides[i]->option);
    }
    if (!turns.complete || pair == 0) continue;
    progress.milestone(fmt::format("pair {}/{}", pair, request.pairs));
    if (saver.due()) saver.save({.base = *results[0], .changed = *results[1]});
  }
  if (!results[0] || !results[1]) return turns;
  for (auto& result : results) {
    result->status = turns.complete ? Status::kComplete : Status::kPartial;
    // If the clock was set back meanwhile, the run must still not end before it began.
    result->finished = std::max(result->started, timestamp());
  }
  turns.sides = {.base = std::move(*results[0]), .changed = std::move(*results[1])};
  return turns;
}

}  // namespace loadline
