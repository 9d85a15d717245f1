// Which options `loadline scale` hands on to the runs that it makes.
#pragma once

#include "harness/plan/options.h"

namespace loadline {

// Whether each run of a study may be given the option: all but what the study itself sets.
bool is_for_scale(const OptionRow& row);

}  // namespace loadline
