// What samples cost the storage that they come from. Pure functions, safe from any thread.
#pragma once

#include "harness/result/result.h"

namespace loadline {

// As stored: those of a photograph are its mean in the dataset, of a volume the values of a crop, of text the tokens.
// 0 where a dataset has no samples.
double stored_bytes_per_sample(const CellResult& cell, const DatasetFacts& facts);

// Whether the trials read from storage, rather than from the page cache: cold files, files that were mostly not
// resident when they began, and file systems of which no look at the page cache says anything (FUSE, network). Of a
// cell with trials.
bool reads_from_storage(const CellResult& cell, const DatasetFacts& facts);

// Of one worker's time: opening files and reading, a sample, over all trials. 0 where the loader does not tell.
double read_seconds_per_sample(const CellResult& cell);

}  // namespace loadline
