// What a verdict foretells: figures that follow from the trials at hand and can be measured, so that the verdict can be
// held to them.
#pragma once

#include <vector>

#include "harness/judge/judgement.h"

namespace loadline {

// One or two for each headline that is bound by loading or by compute, none for others. `judgement` needs its cells,
// configurations and headlines. With IO, SYNTHETIC and FULL the throughput of each, FULL of a changed cell is
// min(IO', SYNTHETIC') times FULL / min(IO, SYNTHETIC), by which FULL fell short of the slower of the two; IO' is
// that of so many workers where it was measured, or else goes with the workers, up to the lowest ceiling of the changed
// cell that was measured, and SYNTHETIC' with the rate of the device. Which is the slower is taken as known, as in the
// overlap efficiency; intervals are of the logarithms' sum.
//
//   bound by loading   more workers on CPUs that have none yet; a perfect loader, for which SYNTHETIC stands
//   bound by compute   half the workers; a device twice as fast
//
// Where Result::checks has trials of a prediction's cell, the prediction is held against them.
std::vector<Prediction> predictions_of(const Result& result, const Judgement& judgement);

}  // namespace loadline
