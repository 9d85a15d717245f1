// A check on the t tests that asks nothing of the shape of a distribution. Pure, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace loadline {

// The most values, of both sets together, for which the exact distribution is counted out.
inline constexpr std::size_t kMostForMannWhitney = 60;

// Two-sided p of the Mann-Whitney test (Annals of Mathematical Statistics 18, 1947), exact: the share of all ways to
// deal the values into two such sets whose sum of ranks lies as far out on its side, doubled. Equal values share their
// mean rank, and the distribution is that of the ranks at hand.
//
// A cross-check only, never a verdict: however far apart the sets, p cannot fall below .100 at three values a side,
// .029 at four and .008 at five. Absent where a set is empty or there are more than kMostForMannWhitney values. Throws
// Error on a value that is not finite.
std::optional<double> mann_whitney_p(std::span<const double> a, std::span<const double> b);

}  // namespace loadline
