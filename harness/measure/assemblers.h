// The assemblers that put the samples of a cell's dataset into its batches.
#pragma once

#include <memory>

#include "harness/plan/plan.h"
#include "loaders/assemble.h"
#include "loaders/datasets/dataset.h"

namespace loadline {

// Throws usage Error naming dataset and workload if the workload is one of the table, and the dataset holds volumes
// where it wants images, or the reverse, or images in a format that has the name of another workload.
void check_kind(const Cell& cell, const Dataset& dataset);

// The assembler for this kind of dataset and the cell's transform. Borrows the dataset, which must outlive it. Throws
// Error naming dataset, workload and option if the cell does not fit what the dataset holds,
// and like check_kind().
std::unique_ptr<Assembler> make_assembler(const Cell& cell, const Dataset& dataset);

}  // namespace loadline
