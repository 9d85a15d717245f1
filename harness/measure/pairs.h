// Two sides measured in alternation, to be compared in pairs.
#pragma once

#include <string>

#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// The cells of one side, then those of the other, each as make_plan() makes them, but without OVERHEAD, which no side
// changes. The cells are paired in order, so throws usage Error if the sides differ in the number or modes of their
// cells, and as make_plan() does.
Plan plan_pairs(const RunOptions& base, const RunOptions& changed, const PlanContext& context);

struct PairedResults {
  Result base;
  Result changed;
};

// Splits a result that run_pairs() has made of such a plan into its two sides, each with its own options and run id.
PairedResults split_sides(const Result& both, const RunOptions& base, const RunOptions& changed,
                          const std::string& changed_run_id);

}  // namespace loadline
