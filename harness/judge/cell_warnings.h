// What the trials of a cell say about how far its figures can be trusted.
#pragma once

#include <vector>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// Whether storage was read. Pages that a kernel moves about are missing for a moment, and then nobody reads them anew.
bool came_from_storage(const Trial& trial);
// A missing page of a mapping is a major fault; of a call that reads, a file system of a network may count nothing.
bool shows_what_it_reads(const DatasetFacts& facts);

// Adds the warnings of one cell; what the machine did meanwhile has its own (machine_warnings.h).
void warn_of_cell(const Result& result, const CellResult& cell, const CellSummary& summary,
                  std::vector<Warning>& warnings);

}  // namespace loadline
