// Which cells decide a comparison of two results. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "harness/judge/matching.h"

namespace loadline {

struct Gate {
  std::set<std::size_t> cells;    // indices of the base's cells that have a partner
  std::set<std::size_t> missing;  // indices of those that have none
  std::vector<std::string> lost;  // a sentence per thing that the base guards and the other result lacks
};

// The gate holds one IO and one FULL cell per workload, or one cell of the metric's mode; SYNTHETIC only where
// neither result has IO or FULL of the workload. Each is the fastest in the two results together: the fastest in the
// base alone would often be one that was lucky there, and so slower when run again, whatever was changed. But where the
// base's fastest exceeds all of the other result by more than `margin`, it decides too: what it reached is gone.
//
// The gate has lost what it guards in three cases: no such cell of the base has a partner; the fastest of the base
// has no partner and exceeds all that do by more than `margin`; or no cell decides on a workload that both have.
// A new result with a single configuration is compared with that one of the base: its others do not count.
Gate gate_of(const Named& base, const Named& changed, const Matching& matching, const Metric& metric, double margin);

// Whether each cell decides, for cells with these modes that are paired by place: all cells of IO and FULL do, or
// those of SYNTHETIC if there are no others.
std::vector<bool> gate_of_pairs(const std::vector<Mode>& modes);

}  // namespace loadline
