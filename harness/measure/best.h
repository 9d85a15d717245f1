// The run of --find best.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/measure/observer.h"
#include "harness/plan/options.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// The length of a probe, as a share of a trial's.
inline constexpr double kProbeShare = 0.25;

// The rungs that reduce this many candidates to at most three. Each rung halves them and gives each twice as many
// probes as the rung before, so all rungs take about equally long (Karnin, Koren and Somekh, Almost Optimal
// Exploration in Multi-Armed Bandits, 2013; Jamieson and Talwalkar, Non-stochastic Best Arm Identification and
// Hyperparameter Optimization, 2016).
std::vector<Rung> rungs_for(std::size_t candidates);

// Finds the fastest of the FULL cells of `options` (of the IO cells, if FULL is not requested) by rungs of short,
// interleaved trials. After each rung the half with the better means over all probes goes on. The finalists are then
// measured in all their modes on fresh trials, as run_plan() does. The winner is the one recommended
// (judge/recommendation.h): no other finalist is noticeably faster. There may be no winner. With `check_verdict` the
// whole grid is measured afterwards, every candidate in full trials, to show how good the search was. prepare_run()
// must have prepared `result` for these options; it gets the search and the finalists' cells. Throws Error if no
// candidate can be measured. Returns as run_plan() does.
bool find_best_and_run(const RunOptions& options, const PlanContext& plan_context, Result& result, RunContext& context);

}  // namespace loadline
