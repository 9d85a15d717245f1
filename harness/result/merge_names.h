// The names of cells and ceilings in a merge.
#pragma once

#include "harness/result/result.h"

namespace loadline {

// Gives all cells the axes of all parts, and whatever else makes the names of cells and ceilings unique.
void name_apart(Result& merged);

}  // namespace loadline
