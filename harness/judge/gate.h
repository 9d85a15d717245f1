// Which cells decide a comparison of two results. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "harness/judge/matching.h"

namespace loadline {

struct Gate {
  std::set<std::size_t> cells;    // indices in the base's cells, of those that have a partner
  std::set<std::size_t> missing;  // of those that have none
  std::vector<std::string> lost;  // a sentence for each thing that the base guards and the other result lacks
};

// Of each workload one cell of IO and one of FULL, or of the metric's mode; of SYNTHETIC only where neither result has
// IO or FULL of the workload. It is the fastest of the two results together: the fastest of the base alone would often
// be one that had luck there, and so slower when it is run again, whatever was changed.
//
// The gate has lost what it guards where the base has such cells and none has a partner, where the fastest of the base
// has none and exceeds all that do by more than `margin`, and where nothing decides of a workload that both have.
Gate gate_of(const Named& base, const Named& changed, const Matching& matching, const Metric& metric, double margin);

// Of cells with these modes, in pairs by place: whether each decides. All of IO and FULL, or of SYNTHETIC without them.
std::vector<bool> gate_of_pairs(const std::vector<Mode>& modes);

}  // namespace loadline
