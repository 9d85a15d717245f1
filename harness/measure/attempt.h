// Trying the parts of cells before anything is measured.
#pragma once

#include "harness/measure/observer.h"
#include "harness/measure/trial.h"

namespace loadline {

// Makes the compute of a cell, unless an equal one was tried, so that what cannot work, such as a missing GPU, fails
// before the first trial. Skips cells without a step, and external steps, whose errors their trials report. If the
// duration of a step is not known in advance, runs a few steps on batches of the dataset and notes it in
// context.tried. `may_read`: whether the dataset may be read for that. Throws what making the compute throws.
void try_compute(const CellRig& rig, bool may_read, RunContext& context);

// Fills a few samples of a cell that has a loader of ours, on this thread, and notes in context.tried how long a batch
// takes. Like an error of a compute, one of a sample is left to the trials.
void try_filling(const CellRig& rig, RunContext& context);

}  // namespace loadline
