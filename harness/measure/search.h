// Where a yes turns into a no: searches over one number, and what --find tries next. Pure but for the callback.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "harness/result/result.h"

namespace loadline {

// Whether a value is enough; absent to stop the search. It need not be right every time, only mostly yes on one
// side of some value and mostly no on the other.
using Attempt = std::function<std::optional<bool>(double value)>;

// Relative precision to which a limit is found.
inline constexpr double kSearchTolerance = 0.02;
inline constexpr std::size_t kMostAttempts = 12;

// The largest value that is enough, to within kSearchTolerance and in at most kMostAttempts: steps away from `start`,
// each longer than the one before, until it has a value of each kind, then halves the ratio between them. std::nullopt
// where no value that was tried is enough, or the search was stopped.
std::optional<double> largest_enough(double start, const Attempt& attempt);

// The same of whole numbers from 1 to `most`, exactly: doubles from 1 upwards, then halves the distance.
std::optional<double> largest_whole_enough(double most, const Attempt& attempt);

// The smallest whole number from 1 to `most` that is enough, by halves. None too where `most` itself is not enough,
// which is tried first.
std::optional<double> smallest_whole_enough(double most, const Attempt& attempt);

// Where a search by --find begins and ends.
struct SearchRange {
  double start = 1;  // of rates: what the loader fills, above which the device begins to wait
  double most = 1;   // of whole numbers
};

// What a search does next.
struct Try {
  double value = 0;
  bool confirms = false;  // by a whole run on trials of its own, or else by a few short ones
};

// What `search` should try next, given what it has tried; absent: it is finished. By short trials it looks for the
// limit according to is_enough() (utilisation.h), whose lower bound keeps it on the safe side. Then one full run must
// confirm what was found, or where nothing was enough the least demanding value that was tried. Where that run does not
// confirm it, a second one at a less demanding value may: one whose interval would lie clear of the AU, going by the
// run before. After that the search ends, confirmed or not. No figure of a probe enters one of a whole run.
std::optional<Try> next_try(const Search& search, const SearchRange& range);

// Enters the outcome: `probe` has the value, whether it confirms, and its trials.
void enter(Probe probe, const SearchRange& range, Search& search);

}  // namespace loadline
