// What commands say about conditions of --exclude that exclude nothing.
#pragma once

#include <span>

#include "harness/plan/plan.h"

namespace loadline {

// Prints, unless the options say quiet, each condition that no cell meets in any of the plans of a command. It is no
// error, because one script may serve many sweeps, and a cell that is not there need not be left out.
void tell_idle_exclusions(std::span<const Plan> plans);

}  // namespace loadline
