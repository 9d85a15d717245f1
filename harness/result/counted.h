// The trials from which figures are computed.
#pragma once

#include <ranges>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

// All trials except pilots, which only decided how many trials there are. Borrows `trials`.
inline auto counted(const std::vector<Trial>& trials) {
  return trials | std::views::filter([](const Trial& trial) { return !trial.pilot; });
}

}  // namespace loadline
