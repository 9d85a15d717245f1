// Which options `loadline scale` passes to the runs that it starts.
#pragma once

#include "harness/plan/options.h"

namespace loadline {

// Whether the runs of a study take the option: all options except those that the study itself sets.
bool is_for_scale(const OptionRow& row);

}  // namespace loadline
