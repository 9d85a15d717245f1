#include "harness/judge/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "loaders/error.h"

namespace loadline {
namespace {

void require_in_range(const Criteria& criteria) {
  if (!(criteria.margin >= 0) || !std::isfinite(criteria.margin))
    throw Error(fmt::format("margin: want at least 0, got {}", criteria.margin));
  if (!(criteria.alpha > 0 && criteria.alpha < 0.5))
    throw Error(fmt::format("alpha: want more than 0 and less than 0.5, got {}", criteria.alpha));
}

std::optional<double> if_finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

using TrialsToDetect = double (*)(double variation, double effect, double alpha);

Comparison comparison_of(const LogRatio& ratio, double variation, TrialsToDetect to_detect, const Criteria& criteria) {
  Comparison comparison{.ratio = ratio_of(ratio),
                        .equivalence_interval = interval_of(ratio, 1 - 2 * criteria.alpha),
                        .detectable = std::nullopt,
                        .trials_needed = std::nullopt};
  if (!ratio.error) return comparison;
  const double margin = std::log1p(criteria.margin);
  comparison.detectable = if_finite(std::expm1(detectable_difference(*ratio.error, criteria.alpha, margin)));
  comparison.trials_needed = if_finite(to_detect(variation, margin, criteria.alpha));
  return comparison;
}

}  // namespace

Comparison compare(std::span<const double> base, std::span<const double> changed, const Criteria& criteria) {
  require_in_range(criteria);
  const LogRatio ratio = log_welch(base, changed);
  // trials_to_detect() takes the variation of one side, and the two share the variance of their difference.
  return comparison_of(ratio, std::sqrt(ratio.variance_of_one.value_or(0) / 2), trials_to_detect, criteria);
}

Comparison compare_pairs(std::span<const double> base, std::span<const double> changed, const Criteria& criteria) {
  require_in_range(criteria);
  const LogRatio ratio = log_paired(base, changed);
  return comparison_of(ratio, std::sqrt(ratio.variance_of_one.value_or(0)), pairs_to_detect, criteria);
}

std::string_view name(Change change) {
  switch (change) {
    case Change::kRegression: return "regression";
    case Change::kImprovement: return "improvement";
    case Change::kEquivalent: return "equivalent";
    case Change::kInconclusive: return "inconclusive";
  }
  return "";
}

Change worst_of(std::span<const Change> changes) {
  if (changes.empty()) return Change::kInconclusive;
  for (const Change change : {Change::kRegression, Change::kInconclusive, Change::kImprovement}) {
    if (std::ranges::find(changes, change) != changes.end()) return change;
  }
  return Change::kEquivalent;
}

Change change_of(const Comparison& comparison, std::optional<double> adjusted_p, const Criteria& criteria) {
  require_in_range(criteria);
  const double upper = 1 + criteria.margin;
  const double lower = 1 / upper;
  const double ratio = comparison.ratio.value;
  if (adjusted_p && *adjusted_p < criteria.alpha && (ratio > upper || ratio < lower))
    return (ratio > 1) == criteria.higher_is_better ? Change::kImprovement : Change::kRegression;
  const auto& interval = comparison.equivalence_interval;
  if (interval && interval->low >= lower && interval->high <= upper) return Change::kEquivalent;
  return Change::kInconclusive;
}

}  // namespace loadline
