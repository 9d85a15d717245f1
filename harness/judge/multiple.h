// Many tests at once: p values adjusted so that each can be compared with the level on its own. Pure functions, safe
// from any thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace loadline {

// Both keep the order of `p`. An absent value, where a test could not be made, stays absent and does not count as a
// test. Adjusted values are at most 1, and a larger p never gets a smaller adjusted value. Both throw Error on a p
// that is not between 0 and 1.

// For a gate: rejecting where the adjusted value is below alpha rejects any true hypothesis with a probability of at
// most alpha, however the tests depend on each other (Holm, Scandinavian Journal of Statistics 6, 1979).
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p);

// For exploring: of the hypotheses rejected at alpha, at most a share of alpha is expected to be true, if the tests
// are independent or positively dependent (Benjamini and Hochberg, Journal of the Royal Statistical Society B 57,
// 1995).
std::vector<std::optional<double>> benjamini_hochberg(std::span<const std::optional<double>> p);

}  // namespace loadline
