// The trials from which figures are computed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

// All trials except pilots, which only decided how many trials there are. Borrows `trials`.
inline auto counted(const std::vector<Trial>& trials) {
  return trials | std::views::filter([](const Trial& trial) { return !trial.pilot; });
}

inline std::size_t count_of(const std::vector<Trial>& trials) {
  return static_cast<std::size_t>(std::ranges::count(trials, false, &Trial::pilot));
}

// What texts and charts call the counted trial with this index: its number among the counted ones, from 1.
inline std::size_t number_of(const std::vector<Trial>& trials, std::size_t index) {
  return static_cast<std::size_t>(std::ranges::count(std::span(trials).first(index), false, &Trial::pilot)) + 1;
}

}  // namespace loadline
