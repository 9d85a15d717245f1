// Two sides that are measured in turns, to be compared in pairs.
#pragma once

#include <string>

#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// The cells of one side, then those of the other, each as make_plan() has them but for OVERHEAD, which is nobody's
// change. Throws usage Error as that does, and where the sides do not have as many cells of the same modes: pairs are
// made in their order.
Plan plan_pairs(const RunOptions& base, const RunOptions& changed, const PlanContext& context);

struct PairedResults {
  Result base;
  Result changed;
};

// The two results in one that run_pairs() has made of such a plan, each with its own options and run id.
PairedResults split_sides(const Result& both, const RunOptions& base, const RunOptions& changed,
                          const std::string& changed_run_id);

}  // namespace loadline
