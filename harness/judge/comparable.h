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
// the samples of `pairs`; but not the settings in `across`, which may differ. Throws Error naming every difference
// unless `allow_mismatch`, and that `anyway` compares them all the same.
std::vector<Difference> accepted_differences(const Named& base, const Named& changed, std::span<const Match> pairs,
                                             std::span<const std::string> across, bool allow_mismatch,
                                             std::string_view anyway);

// Throws Error saying why no cell of one result has a partner in the other.
[[noreturn]] void refuse_nothing_to_compare(const Named& base, const Named& changed, const Metric& metric,
                                            std::span<const std::string> across);

}  // namespace loadline
