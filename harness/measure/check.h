// Holding a verdict to what it predicts.
#pragma once

#include "harness/result/result.h"

namespace loadline {

// Puts the cells of the run's predictions into result.checks, without trials; run_further() gives them some. Those that
// hold by definition are left out: measured again they would prove nothing. To be called when the run has all its
// trials, which the predictions are made of.
void add_checks(Result& result);

}  // namespace loadline
