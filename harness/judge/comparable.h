// Whether two results may be compared at all. Pure functions, safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/likeness.h"
#include "harness/judge/matching.h"

namespace loadline {

// Differences that make figures of the two mean different things, including the data, the cache states and the sizes of
// the samples of `pairs`; but not the settings in `across`, which may differ. Unless
// `allow_mismatch`, throws Error that names every difference and suggests `anyway`, the option that compares them
// regardless.
std::vector<Difference> accepted_differences(const Named& base, const Named& changed, std::span<const Match> pairs,
                                             std::span<const std::string> across, bool allow_mismatch,
                                             std::string_view anyway);

// Throws Error if one of the two has nothing to compare, or if they have no workload or no mode in common. Needs only
// the cells, not their trials, so it can be called before a run.
void check_in_common(const Named& base, const Named& changed, const Metric& metric);

// Throws Error saying why no cell of one result has a partner in the other.
[[noreturn]] void refuse_nothing_to_compare(const Named& base, const Named& changed, const Metric& metric,
                                            std::span<const std::string> across);

}  // namespace loadline
