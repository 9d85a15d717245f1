#include "harness/measure/search.h"

#include <algorithm>
#include <cmath>

namespace loadline {
namespace {

// What is known of the border so far.
struct Bracket {
  std::optional<double> enough;
  std::optional<double> too_much;
};

// Returns false when stopped.
bool narrow(Bracket& bracket, double value, const Attempt& attempt) {
  const auto answer = attempt(value);
  if (answer) (*answer ? bracket.enough : bracket.too_much) = value;
  return answer.has_value();
}

}  // namespace

std::optional<double> largest_enough(double start, const Attempt& attempt) {
  constexpr double kFirstStep = 1.25;
  constexpr double kLongestStep = 4;
  Bracket bracket;
  std::size_t attempts = 1;
  if (!narrow(bracket, start, attempt)) return std::nullopt;
  double value = start;
  for (double step = kFirstStep; !(bracket.enough && bracket.too_much) && attempts < kMostAttempts;
       step = std::min(step * step, kLongestStep)) {
    value = bracket.enough ? value * step : value / step;
    ++attempts;
    if (!narrow(bracket, value, attempt)) return std::nullopt;
  }
  while (bracket.enough && bracket.too_much && *bracket.too_much > (1 + kSearchTolerance) * *bracket.enough &&
         attempts < kMostAttempts) {
    ++attempts;
    if (!narrow(bracket, std::sqrt(*bracket.enough * *bracket.too_much), attempt)) return std::nullopt;
  }
  return bracket.enough;
}

std::optional<double> largest_whole_enough(double most, const Attempt& attempt) {
  Bracket bracket;
  for (double value = 1; !bracket.too_much; value = std::min(2 * value, most)) {
    if (!narrow(bracket, value, attempt)) return std::nullopt;
    if (value == most) break;
  }
  while (bracket.enough && bracket.too_much && *bracket.too_much - *bracket.enough > 1) {
    if (!narrow(bracket, std::floor((*bracket.enough + *bracket.too_much) / 2), attempt)) return std::nullopt;
  }
  return bracket.enough;
}

std::optional<double> smallest_whole_enough(double most, const Attempt& attempt) {
  const auto all = attempt(most);
  if (!all.value_or(false)) return std::nullopt;
  double enough = most;
  for (double too_few = 0; enough - too_few > 1;) {
    const double middle = std::floor((too_few + enough) / 2);
    const auto answer = attempt(middle);
    if (!answer) return std::nullopt;
    (*answer ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace loadline
