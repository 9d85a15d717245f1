// Many tests at once: p values adjusted so that each may be held against the level alone. Pure functions, safe from any
// thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace loadline {

// Both keep the order of `p`. One that is absent, where a test could not be made, stays absent and does not count as a
// test. An adjusted value is at most 1, and of two that of the larger p is never the smaller. Both throw Error on a p
// that does not lie between 0 and 1.

// For a gate: rejecting where the adjusted value is below alpha rejects any true hypothesis at all with a probability
// of at most alpha, however the tests depend on each other (Holm, Scandinavian Journal of Statistics 6, 1979).
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p);

// For exploring: of those rejected at alpha, at most a share of alpha is expected to be true, where the tests are
// independent or rise and fall together (Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995).
std::vector<std::optional<double>> benjamini_hochberg(std::span<const std::optional<double>> p);

}  // namespace loadline
