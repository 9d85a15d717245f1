// What the trials of a cell say about how far to trust its figures.
#pragma once

#include <vector>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// Whether the trial read from storage. Pages that the kernel moves are missing for a moment, but nobody reads them
// again.
bool came_from_storage(const Trial& trial);
// Whether the system counts the reads of these files: a missing page of a mapping is a major fault, but a network
// file system may count nothing for a call that reads.
bool shows_what_it_reads(const DatasetFacts& facts);

// Adds the warnings of one cell, except those of machine_warnings.h. Those about the quota, the CPU set and a stopped
// process are here.
void warn_of_cell(const Result& result, const CellResult& cell, const CellSummary& summary,
                  std::vector<Warning>& warnings);

}  // namespace loadline
