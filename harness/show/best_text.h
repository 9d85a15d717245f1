// A search for the fastest configuration, for people.
#pragma once

#include <string>

#include "harness/judge/judgement.h"
#include "harness/measure/schedule.h"
#include "harness/result/result.h"

namespace loadline {

// "24 candidates: 72 probes, each 0.25 of a trial, then 5 trials of each of the best 3, about 33.2 s".
// `tried`: as for a schedule.
std::string best_scope_text(const Result& prepared, const RunOptions& options, const TriedCells& tried = {});

// The last rung, on one line: "rung 1: 24 candidates, 1 probe each, 12 go on; ahead is NAME with 812 k samples/s".
std::string rung_text(const Best& best);

// The winner with its interval, the command line that uses it, what the search cost and, where the grid was measured,
// how the winner compares with it. Empty without a winner.
std::string best_text(const Result& result, const Judgement& judgement);

}  // namespace loadline
