// Accelerator utilisation (AU) of what a search tried, compared with the requested AU. Pure, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/judge/statistics.h"
#include "harness/judge/verdict.h"
#include "harness/result/result.h"

namespace loadline {

// A search may confirm a value that misses its AU in at most this share of cases, over all its whole runs together.
inline constexpr double kSearchError = 0.05;
// Whole runs that a search may make, whatever their outcome. Each has an equal share of kSearchError (Bonferroni):
// with two, the one-sided level of each is 2.5 %, the lower end of a two-sided 95 % interval. So a value is confirmed
// where the printed interval lies at or above the requested AU.
inline constexpr std::size_t kMostConfirmations = 2;

// T_synthetic / T_full with its 95 % interval, of rates.
Estimate utilisation_of(std::span<const double> synthetic, std::span<const double> full);

// The bound by which a probe is judged: for short trials the lower one-sided 95 % bound, for a whole run the lower end
// of its 95 % interval. nullopt if there were too few trials.
std::optional<double> least_utilisation_of(const Probe& probe);

// Whether that bound reaches the requested AU.
bool is_enough(const Probe& probe, double asked);

// The standing of the last whole run of a search; nullopt without one.
std::optional<Standing> standing_of(const Search& search);

}  // namespace loadline
