// Trying computes before anything is measured.
#pragma once

#include "harness/measure/observer.h"
#include "harness/measure/trial.h"

namespace loadline {

// Makes the compute of a cell, unless an equal one was tried, so that what cannot work, such as a missing GPU, fails
// before the first trial. Skips cells without a step, and external steps, whose errors their trials report. If the
// duration of a step is not known in advance, runs a few steps on batches of the dataset and notes it in
// context.tried. `may_read`: whether the dataset may be read for that. Throws what making the compute throws.
void try_compute(const CellRig& rig, bool may_read, RunContext& context);

}  // namespace loadline
