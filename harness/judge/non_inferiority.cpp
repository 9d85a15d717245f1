#include "harness/judge/non_inferiority.h"

#include <algorithm>
#include <cmath>

#include "harness/judge/statistics.h"
#include "harness/judge/student_t.h"

namespace loadline {
namespace {

double level_of(std::size_t sets) {
  return kRecommendationError / static_cast<double>(std::max<std::size_t>(1, sets - 1));
}

// Whether `other` is shown to be no more than 1 + margin times as fast as `one`.
bool is_excluded(std::span<const double> one, std::span<const double> other, double margin, double level) {
  const LogRatio ratio = log_welch(one, other);
  const double room = std::log1p(margin) - ratio.value;
  if (!ratio.error || room < 0) return false;
  if (ratio.error->variance == 0) return true;
  // The bound is below the margin where the one-sided p of the margin is below the level; that is cheaper to compute.
  return t_two_sided_p(room / std::sqrt(ratio.error->variance), ratio.error->degrees) / 2 <= level;
}

}  // namespace

std::vector<std::size_t> rivals_of(std::span<const std::vector<double>> sets, std::size_t i, double margin) {
  std::vector<std::size_t> rivals;
  for (std::size_t j = 0; j < sets.size(); ++j) {
    if (j != i && !is_excluded(sets[i], sets[j], margin, level_of(sets.size()))) rivals.push_back(j);
  }
  return rivals;
}

bool is_sufficient(std::span<const std::vector<double>> sets, std::size_t i, double margin) {
  for (std::size_t j = 0; j < sets.size(); ++j) {
    if (j != i && !is_excluded(sets[i], sets[j], margin, level_of(sets.size()))) return false;
  }
  return true;
}

std::optional<double> trials_to_show(std::span<const std::vector<double>> sets, std::size_t i,
                                     std::span<const std::size_t> rivals, double margin) {
  double trials = 0;
  for (const std::size_t rival : rivals) {
    const auto variance = log_welch(sets[i], sets[rival]).variance_of_one;
    if (!variance) return std::nullopt;
    // trials_to_detect() takes the variation of one side, and a level of both.
    trials =
        std::max(trials, trials_to_detect(std::sqrt(*variance / 2), std::log1p(margin), 2 * level_of(sets.size())));
  }
  return trials;
}

}  // namespace loadline
