// What samples cost the storage that they come from. Pure functions, safe from any thread.
#pragma once

#include <initializer_list>

#include "harness/result/result.h"
#include "loaders/worker_clock.h"

namespace loadline {

// As stored: those of a photograph are its mean in the dataset, of a volume the values of a crop, of text the tokens.
// 0 where a dataset has no samples.
double stored_bytes_per_sample(const CellResult& cell, const DatasetFacts& facts);

// Whether the trials read from storage, rather than from the page cache: cold files, files that were mostly not
// resident when they began, and file systems of which no look at the page cache says anything (FUSE, network). Of a
// cell with trials.
bool reads_from_storage(const CellResult& cell, const DatasetFacts& facts);

// What one worker spends in these stages on a sample, over all trials; 0 if the loader does not report stages.
double seconds_per_sample_in(const CellResult& cell, std::initializer_list<WorkerStage> stages);

}  // namespace loadline
