// What samples cost the storage that they come from. Pure functions, safe from any thread.
#pragma once

#include <initializer_list>

#include "harness/result/result.h"
#include "loaders/worker_clock.h"

namespace loadline {

// Stored bytes per sample: the mean file size for photographs, the values of a crop for volumes, the tokens for text.
// 0 where a dataset has no samples.
double stored_bytes_per_sample(const CellResult& cell, const DatasetFacts& facts);

// Whether the trials read from storage, rather than from the page cache: cold files, files that were mostly not
// resident at the start, and file systems whose page cache tells nothing (FUSE, network). The cell must have trials.
bool reads_from_storage(const CellResult& cell, const DatasetFacts& facts);

// Seconds that one worker spends in these stages per sample, over all trials; 0 if the loader does not report stages.
double seconds_per_sample_in(const CellResult& cell, std::initializer_list<WorkerStage> stages);

}  // namespace loadline
