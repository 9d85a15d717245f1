// Where a yes turns into a no: searches over one number, by a callback that tries it. Pure but for the callback.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace loadline {

// Whether a value is enough; none where the search is to stop. It need not be right every time, only mostly yes on one
// side of some value and mostly no on the other.
using Attempt = std::function<std::optional<bool>(double value)>;

// How near a limit is found, as a share of it.
inline constexpr double kSearchTolerance = 0.02;
inline constexpr std::size_t kMostAttempts = 12;

// The largest value that is enough, to within kSearchTolerance and in at most kMostAttempts: steps away from `start`,
// each longer than the one before, until it has a value of each kind, then halves the ratio between them. None where no
// value that was tried is enough, or the search was stopped.
std::optional<double> largest_enough(double start, const Attempt& attempt);

// The same of whole numbers from 1 to `most`, exactly: doubles from 1 upwards, then halves the distance.
std::optional<double> largest_whole_enough(double most, const Attempt& attempt);

// The smallest whole number from 1 to `most` that is enough, by halves. None too where `most` itself is not enough,
// which is tried first.
std::optional<double> smallest_whole_enough(double most, const Attempt& attempt);

}  // namespace loadline
