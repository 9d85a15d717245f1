// How near a cell came to what this machine can do: a pure function of its trials and of those of the ceilings that it
// cannot pass, safe from any thread.
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

// `bounds`: samples per second of each, one rate a trial; those without trials are passed over. std::nullopt where the
// cell has no trials, or no bound has. Throws Error on a rate that is not positive and finite.
std::optional<LoadLine> load_line(std::span<const double> achieved, std::span<const std::vector<double>> bounds);

// By how much a cell may pass a bound that it cannot pass: the two are measured at different moments.
inline constexpr double kBeatenMargin = 0.02;

// Whether the cell passed its bound by more than noise, so that the bound is none.
bool beaten(const LoadLine& line);

// From here on a cell is as good as at its bound: a faster loader has little to gain.
inline constexpr double kNearCeiling = 0.90;

}  // namespace loadline
