// Which cells of a run belong together. A pure function, safe from any thread.
#pragma once

#include <vector>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// One for each FULL cell, with the IO and SYNTHETIC that go with it, and one for each IO cell without a FULL; in the
// order of these cells. They name their cells, and have no verdicts yet.
std::vector<Configuration> configurations_of(const Result& result);

}  // namespace loadline
