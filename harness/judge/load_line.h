// How near a cell came to what this machine can do: a pure function of its trials and those of its ceilings, safe
// from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/judge/statistics.h"

namespace loadline {

// The lowest of a cell's upper bounds, and the share of it that the cell reaches.
struct LoadLine {
  std::size_t binding;           // index of the bound
  double samples_per_second;     // mean of its trials
  Estimate efficiency;           // achieved / binding
  std::optional<Interval> ci95;  // of that mean
};

// `bounds`: samples per second of each, one rate per trial; bounds without trials are skipped. std::nullopt where the
// cell has no trials, or no bound has any. Throws Error on a rate that is not positive and finite.
std::optional<LoadLine> load_line(std::span<const double> achieved, std::span<const std::vector<double>> bounds);

// By how much a cell may exceed its bound by chance: the two are measured at different moments.
inline constexpr double kBeatenMargin = 0.02;

// Whether the cell exceeded its bound by more than noise, so that it is not a bound.
bool beaten(const LoadLine& line);

// From this efficiency on a cell is as good as at its bound: a faster loader would gain little.
inline constexpr double kNearCeiling = 0.90;

}  // namespace loadline
