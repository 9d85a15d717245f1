// The work of a run before and after its trials. Before: open the datasets, check that every cell fits its dataset
// and the machine, choose the ceilings. After: take postponed fingerprints.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "harness/measure/observer.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// Opens the dataset of a cell. Throws Error; if the data is missing, it says how to get it.
std::unique_ptr<Dataset> open_for(const Cell& cell);

// What a cell needs of its dataset and this machine. Throws Error if the cell does not fit its dataset, or if the
// memory does not suffice for `processes` processes at a time.
CellResult prepare_cell(const Cell& cell, const Dataset& dataset, std::size_t dataset_index, Machine& machine,
                        std::size_t processes = 1);

// Opens each dataset once and checks that every cell fits its dataset and the available memory. Reads all samples, so
// that the page cache holds as much as fits; if a dataset does not fit in memory, reads only the samples that its
// fingerprint covers. Does not read datasets whose cells use the page cache as it is; these have no fingerprint yet.
// Tries what the cells consist of (attempt.h), for the schedule. Fills result.datasets, result.cells, result.ceilings
// (unless they are switched off), all without trials, and result.memory, the sum of what they need (memory_need.h).
// Throws Error for the first problem. Returns true when finished and false when stopped; then there is nothing to run.
bool prepare_run(const Plan& plan, Result& result, RunContext& context);

// The same for a plan whose datasets are all in `result`. Does not read them again. Replaces the cells.
void prepare_again(const Plan& plan, Result& result, const RunContext& context);

// Adds the external loaders of the cells to result.loaders, each once.
void note_loaders(Result& result);

// Notes in result.loaders what the loader of a cell delivered in a trial.
void note_delivered(const Cell& cell, const std::optional<DeliveredFormat>& delivered, Result& result);

// Takes the fingerprints that prepare_run() postponed. Call it after all trials, because reading could spoil them. A
// dataset that can no longer be read keeps no fingerprint. Returns true when finished and false when stopped.
bool take_fingerprints(Result& result, RunContext& context);

}  // namespace loadline
