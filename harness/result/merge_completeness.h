// What a merge lacks.
#pragma once

#include <string>
#include <vector>

#include "harness/result/merge.h"

namespace loadline {

// The share of the sweep that a result is (--part), or those of a merge that lacks some: {"1/3", "2/3"}. Empty for a
// result that is no share.
std::vector<std::string> sweep_shares_of(const Result& result);

// Whether "1/3", "2/3", ... are all present for each sweep and number of shares. Shares are of one sweep if all options
// that make it are equal, because they divide the list of its configurations. A result that is no share takes the
// place of all shares of its sweep, and of no other one: nothing says which cells a share of that would have had.
bool all_shares(const std::vector<MergePart>& parts);

// What the parts lack, for a sentence: "share 3/3 is missing", "the shares are of different sweeps: b.json has another
// --loader than a.json". Empty if they lack no share, or do not say which.
std::string missing_shares(const std::vector<MergePart>& parts);
// The same for a merge that names the shares that it has.
std::string missing_shares(const Result& merged);

// The shares that the parts have together, such as "1/3,2/3", each once, of the sweep of the first part; empty if a
// part does not say which it has, or has shares of another sweep.
std::string known_shares(const std::vector<MergePart>& parts);

// Whether the trials of all parts add up to those that were requested, also where a part was stopped. With until_ci,
// cells have those that a run decided on (CellResult::stopped), and ceilings as many as each cell that they bound. Not
// where a run is more than its trials: checks of its verdicts.
bool has_all_trials(const Result& merged);

// Whether a result that was merged lacks shares of a sweep (--part).
bool lacks_shares(const Result& merged);

}  // namespace loadline
