// What a shell can offer for options and arguments whose values other tables hold: metrics, settings, computes, kinds
// of generated data, formats to write, and the baselines that are kept.
#pragma once

#include <span>

#include "harness/cli/completion.h"

namespace loadline {

std::span<const KnownValues> known_values();

}  // namespace loadline
