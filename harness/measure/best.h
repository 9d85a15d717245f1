// The run of --find best.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/measure/observer.h"
#include "harness/plan/options.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// Length of a probe, of that of a trial.
inline constexpr double kProbeShare = 0.25;

// The rungs that leave no more than three of so many candidates: each halves them, by twice as many probes as the one
// before, so that all take about as long (Karnin, Koren and Somekh, Almost Optimal Exploration in Multi-Armed Bandits,
// 2013; Jamieson and Talwalkar, Non-stochastic Best Arm Identification and Hyperparameter Optimization, 2016).
std::vector<Rung> rungs_for(std::size_t candidates);

// Searches the fastest of the FULL cells of `options` (of the IO cells, where FULL is not asked for) by rungs of short
// trials, interleaved, after each of which the better half by the mean of all its probes goes on. The finalists are
// then run in full on trials of their own, all their modes, as run_plan() does. The winner is what is recommended of
// them (judge/recommendation.h): none of the others is more than a noticeable share faster. There may be none.
// With `check_verdict` the whole grid is measured after that, every candidate in full trials, which says what the
// search came to. `result` is one that prepare_run() has prepared for these options; it gets the search and the
// finalists' cells. Throws Error where no candidate can be measured. Returns as run_plan() does.
bool find_best_and_run(const RunOptions& options, const PlanContext& plan_context, Result& result, RunContext& context);

}  // namespace loadline
