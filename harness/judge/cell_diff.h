// One cell against another. Pure functions, safe from any thread.
#pragma once

#include "harness/judge/busy_pairs.h"
#include "harness/judge/comparison.h"
#include "harness/judge/diff.h"
#include "harness/result/result.h"

namespace loadline {

// What a cell of this comparison is judged by.
Criteria criteria_of(const ResultDiff& diff, const CellDiff& cell);

// Compares the trials of two cells by the metric of `diff`, and names `cell` after them. `cpus`: of the base, for pairs
// (see diff_pairs()). There is no change yet.
void compare_cells(CellDiff& cell, const CellResult& base, const CellResult& changed, const ResultDiff& diff,
                   const DiffOptions& options, const RunCpus& cpus);

}  // namespace loadline
