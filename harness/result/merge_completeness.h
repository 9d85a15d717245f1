// What a merge lacks.
#pragma once

#include <string>
#include <vector>

#include "harness/result/merge.h"

namespace loadline {

// The share of the sweep that a result is (--part), or those of a merge that lacks some: {"1/3", "2/3"}. Empty for a
// result that is no share.
std::vector<std::string> sweep_shares_of(const Result& result);

// Whether "1/3", "2/3", ... are all present for each number of shares. A result that is no share has all cells of its
// own plan, but cannot take the place of a missing share: nothing says which cells that one would have had.
bool all_shares(const std::vector<MergePart>& parts);

// The shares that the parts have together, such as "1/3,2/3", each once; empty if a part does not say which it has.
std::string known_shares(const std::vector<MergePart>& parts);

// Whether the trials of all parts add up to those that were requested, also where a part was stopped. Not where a run
// is more than its trials: the interval of all of them, or checks of its verdicts.
bool has_all_trials(const Result& merged);

// Whether a result that was merged lacks shares of a sweep (--part).
bool lacks_shares(const Result& merged);

}  // namespace loadline
