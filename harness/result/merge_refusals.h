// What cannot be merged.
#pragma once

#include <vector>

#include "harness/result/merge.h"

namespace loadline {

// Throws Error for a run that is in two parts, whether it is a part itself or was merged into one.
void refuse_repeated_runs(const std::vector<MergePart>& parts);

// Throws Error for the result of a search, for different data or another recording, plug-in or script under the same
// name, and, unless `allow_mismatch`, for parts that differ from the first in build, kernels or kind of machine.
void refuse_unlike_parts(const std::vector<MergePart>& parts, bool allow_mismatch);

}  // namespace loadline
