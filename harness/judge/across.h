// Finds partners for cells that differ in a setting the user chose: the last stage of match_cells(). Pure functions,
// safe from any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/judge/matching.h"

namespace loadline {

// Moves cells from `matching.gone` and `matching.added` to its pairs, by the third stage of match_cells(). Throws
// usage Error for an unknown setting in `across`.
void match_across(const Result& base, const Result& changed, std::span<const std::string> across, Matching& matching);

// What a complete `matching` makes of workloads of which one result has a single configuration.
std::vector<OneOfSeveral> ones_of_several(const Named& base, const Named& changed, const Metric& metric,
                                          const Matching& matching);

}  // namespace loadline
