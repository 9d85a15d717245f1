// Searches over one number for the value where yes turns into no, and what --find tries next. Pure except for the
// callback.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "harness/result/result.h"

namespace loadline {

// Whether a value is enough; nullopt stops the search. The answer may sometimes be wrong, as long as it is mostly yes
// on one side of some value and mostly no on the other.
using Attempt = std::function<std::optional<bool>(double value)>;

// The relative precision of a limit that is found.
inline constexpr double kSearchTolerance = 0.02;
inline constexpr std::size_t kMostAttempts = 12;
// How far below its start a search for a rate goes, as a factor. If even a rate below 1/25 of what the loader fills is
// not surely enough, the machine is too noisy to tell, and trials at lower rates would only take longer.
inline constexpr double kFarthestBelow = 25;

// The largest value that is enough, to within kSearchTolerance and in at most kMostAttempts. Moves away from `start`
// in growing steps, but not below start / kFarthestBelow, until it has a value that is enough and one that is not, then
// halves the ratio between them. nullopt if no value tried is enough or the search was stopped.
std::optional<double> largest_enough(double start, const Attempt& attempt);

// The same for whole numbers from 1 to `most`, exactly: doubles from 1 upwards, then halves the distance.
std::optional<double> largest_whole_enough(double most, const Attempt& attempt);

// The smallest whole number from `least` to `most` that is enough, by bisection. Tries `most` first; nullopt also if
// that is not enough.
std::optional<double> smallest_whole_enough(double least, double most, const Attempt& attempt);

// Where a search by --find begins and ends.
struct SearchRange {
  double start = 1;  // for rates: the loader's filling rate, above which the device begins to wait
  double least = 1;  // for whole numbers, of which the smallest is wanted
  double most = 1;   // for whole numbers
};

// What a search does next.
struct Try {
  double value = 0;
  bool confirms = false;  // true: a full run on fresh trials; false: a few short trials
};

// What `search` should try next, given what it has tried; nullopt: it is finished. Short trials look for the limit by
// is_enough() (utilisation.h), whose lower bound keeps the search on the safe side. Then one full run must confirm
// the value found or, if nothing was enough, the least demanding value tried. If it does not, a second full run
// follows at a less demanding value, chosen so that its interval should lie clear of the AU, judging by the first
// run. After that the search ends, confirmed or not. No figure of a probe enters that of a full run.
std::optional<Try> next_try(const Search& search, const SearchRange& range);

// Records an outcome: `probe` holds the value, whether it confirms, and its trials.
void enter(Probe probe, const SearchRange& range, Search& search);

}  // namespace loadline
