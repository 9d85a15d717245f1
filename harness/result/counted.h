// The trials that figures are made of.
#pragma once

#include <ranges>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

// All but pilots, which only served to decide how many trials there are. Borrows them.
inline auto counted(const std::vector<Trial>& trials) {
  return trials | std::views::filter([](const Trial& trial) { return !trial.pilot; });
}

}  // namespace loadline
