// What a run looks at beside its trials: before them the datasets, whether every cell fits its own and the machine, and
// which ceilings to measure; afterwards the fingerprints that were postponed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "harness/measure/observer.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// The dataset of a cell. Throws Error, where it is not there saying how to get it.
std::unique_ptr<Dataset> open_for(const Cell& cell);

// What a cell will need of its dataset and this machine. Throws Error where the two do not fit, or the memory does not
// do for so many processes at a time.
CellResult prepare_cell(const Cell& cell, const Dataset& dataset, std::size_t dataset_index, Machine& machine,
                        std::size_t processes = 1);

// Opens each dataset once to look at it, and checks that every cell fits its dataset and the memory there is. Reads all
// samples, or of a large dataset that memory has no room for those that its fingerprint is of, so that what fits the
// page cache is in it, but for datasets whose cells want the page cache as it is: these have no fingerprint yet. Fills
// result.datasets, result.cells and, unless they are switched off, result.ceilings, which have no trials yet, and
// result.memory, the sum of what all of them take (memory_need.h). Throws Error for the first thing that is wrong.
// Returns whether it came to its end, rather than to a requested stop; without that there is nothing to run.
bool prepare_run(const Plan& plan, Result& result, RunContext& context);

// The same for a plan whose datasets are all among those of `result`, which are not read again. Replaces the cells.
void prepare_again(const Plan& plan, Result& result, const RunContext& context);

// Puts the external loaders of the cells into result.loaders, unless they are there.
void note_loaders(Result& result);

// What the loader of a cell delivered in a trial, for result.loaders.
void note_delivered(const Cell& cell, const std::optional<DeliveredFormat>& delivered, Result& result);

// Takes the fingerprints that prepare_run() left for later, when there are no more trials that reading could spoil.
// What can no longer be read stays without. Returns whether it came to its end, rather than to a requested stop.
bool take_fingerprints(Result& result, RunContext& context);

}  // namespace loadline
