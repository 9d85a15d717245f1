// Checking what a verdict predicts.
#pragma once

#include "harness/result/result.h"

namespace loadline {

// Puts the cells of the run's predictions into result.checks, without trials; run_further() measures them. Leaves out
// predictions that hold by definition: measuring them would prove nothing. Call it when the run has all its trials,
// because the predictions are made from them.
void add_checks(Result& result);

}  // namespace loadline
