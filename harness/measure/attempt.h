// Computes tried before anything is measured.
#pragma once

#include "harness/measure/observer.h"
#include "harness/measure/trial.h"

namespace loadline {

// Makes the compute of a cell, unless one like it was tried: what it refuses, such as a GPU that is not there, is
// refused before the first trial. Where no table tells what a step takes, takes a few on batches of the dataset, for
// context.tried; `may_read`: whether that does no harm. Throws what making the compute throws.
void try_compute(const CellRig& rig, bool may_read, RunContext& context);

}  // namespace loadline
