#include "harness/measure/search.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/judge/utilisation.h"
#include "harness/plan/find.h"

namespace loadline {
namespace {

// What is known about the border so far.
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

// Where a search stands after its short trials.
struct Probed {
  std::optional<double> next;   // to be tried
  std::optional<double> found;  // meaningful once nothing is left to try
};

// Replays the search over the existing answers, up to the first question without one.
Probed probed(const Search& search, const SearchRange& range) {
  std::vector<bool> answers;
  for (const Probe& probe : search.probes) {
    if (!probe.confirms) answers.push_back(probe.enough);
  }
  Probed state;
  std::size_t asked = 0;
  const Attempt attempt = [&](double value) -> std::optional<bool> {
    if (asked < answers.size()) return answers[asked++];
    state.next = value;
    return std::nullopt;
  };
  const FindKind& kind = find_kind_named(search.kind);
  state.found = !kind.whole    ? largest_enough(range.start, attempt)
                : kind.largest ? largest_whole_enough(range.most, attempt)
                               : smallest_whole_enough(range.least, range.most, attempt);
  return state;
}

double least_demanding(const Search& search) {
  const auto by_value = std::ranges::minmax_element(search.probes, {}, &Probe::value);
  return find_kind_named(search.kind).largest ? by_value.min->value : by_value.max->value;
}

// The factor by which to lower a value that was not confirmed. AU is about inversely proportional to the demand, so
// low / asked makes the interval begin where it should. Lowering it again by the width below its middle makes room
// for the next interval, which may lie lower by chance.
double lowered_share(const Probe& probe, double asked) {
  constexpr double kWithoutInterval = 0.8;
  constexpr double kLeast = 0.25;
  const Estimate utilisation = utilisation_of(probe.synthetic, probe.full);
  if (!utilisation.ci95) return kWithoutInterval;
  const double low = utilisation.ci95->low;
  return std::clamp(low / asked * (low / utilisation.value), kLeast, 1 / (1 + kSearchTolerance));
}

double less_demanding(const Search& search, const SearchRange& range) {
  const Probe& last = search.probes.back();
  const FindKind& kind = find_kind_named(search.kind);
  const double share = lowered_share(last, search.utilisation);
  if (!kind.largest) return std::min(std::ceil(std::max(last.value + 1, last.value / share)), range.most);
  if (kind.whole) return std::max(std::floor(std::min(last.value - 1, last.value * share)), 1.0);
  return last.value * share;
}

std::size_t confirmations(const Search& search) {
  return static_cast<std::size_t>(std::ranges::count(search.probes, true, &Probe::confirms));
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
    const double next = bracket.enough ? value * step : value / step;
    if (next * kFarthestBelow < start) break;
    value = next;
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

std::optional<double> smallest_whole_enough(double least, double most, const Attempt& attempt) {
  const auto all = attempt(most);
  if (!all.value_or(false)) return std::nullopt;
  double enough = most;
  for (double too_few = least - 1; enough - too_few > 1;) {
    const double middle = std::floor((too_few + enough) / 2);
    const auto answer = attempt(middle);
    if (!answer) return std::nullopt;
    (*answer ? enough : too_few) = middle;
  }
  return enough;
}

std::optional<Try> next_try(const Search& search, const SearchRange& range) {
  if (search.confirmed) return std::nullopt;
  const std::size_t whole_runs = confirmations(search);
  if (whole_runs == 0) {
    const Probed state = probed(search, range);
    if (state.next) return Try{.value = *state.next};
    return Try{.value = state.found.value_or(least_demanding(search)), .confirms = true};
  }
  // If even the least demanding value was not enough, there is none left to try.
  if (whole_runs == kMostConfirmations || !search.found) return std::nullopt;
  const double next = less_demanding(search, range);
  if (next == search.probes.back().value) return std::nullopt;
  return Try{.value = next, .confirms = true};
}

void enter(Probe probe, const SearchRange& range, Search& search) {
  probe.enough = is_enough(probe, search.utilisation);
  if (probe.confirms && probe.enough) search.confirmed = probe.value;
  search.probes.push_back(std::move(probe));
  if (confirmations(search) > 0) return;
  const Probed state = probed(search, range);
  if (!state.next) search.found = state.found;
}

}  // namespace loadline
