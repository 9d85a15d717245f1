// How one set of trials compares with another: the ratio, what it allows to be said, and what it would take to say
// more. Pure functions, safe from any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "harness/judge/statistics.h"

namespace loadline {

// What a change has to be to count as one.
struct Criteria {
  double margin = 0.03;          // relative; a smaller change is not worth acting upon; at least 0
  double alpha = 0.05;           // level of the tests; above 0 and below 0.5
  bool higher_is_better = true;  // rates; false: times
};

struct Comparison {
  Ratio ratio;  // changed / base, with its p before any adjustment for other tests
  // Of the ratio, with probability 1 - 2 alpha (90 % at alpha = 0.05): the one that equivalence is read from.
  std::optional<Interval> equivalence_interval;
  // The smallest relative change that trials as many and as noisy as these would call a regression or an improvement
  // four times in five, in the absence of other tests.
  std::optional<double> detectable;
  // Trials, or pairs, on each side, with which a change as large as the margin is significant four times in five. No
  // change is then found equivalent three times in four, and one of 1.3 margins a regression or an improvement four
  // times in five. A whole number, at least 2; absent where the margin is 0.
  std::optional<double> trials_needed;
};

// Sets that are independent of each other: Welch's test on the logarithms. With a single trial in a set there is the
// ratio and nothing else. Throws Error if a set is empty or holds anything but positive finite values, or a criterion
// is out of range.
Comparison compare(std::span<const double> base, std::span<const double> changed, const Criteria& criteria);

// Pairs base[i] with changed[i] that were measured side by side: the t test of their log ratios. Throws Error as
// compare(), or if the sets differ in size.
Comparison compare_pairs(std::span<const double> base, std::span<const double> changed, const Criteria& criteria);

enum class Change { kRegression, kImprovement, kEquivalent, kInconclusive };

// "regression", "improvement", "equivalent", "inconclusive".
std::string_view name(Change change);

// Of several that are judged together: regression, then inconclusive, then improvement, then equivalent. Inconclusive
// of none.
Change worst_of(std::span<const Change> changes);

// What may be said, where `adjusted_p` is the comparison's p after adjustment for all tests that were made
// (multiple.h), and `criteria` those that it was made with.
//
// Regression, improvement: the adjusted p is below alpha and the ratio itself outside the margin, that is, above
// 1 + margin or below 1 / (1 + margin), to the worse or the better. That the ratio exceeds the margin need not be
// significant; that it differs from 1 must be.
// Equivalent: the interval lies within the margin, its ends included. These are two one-sided tests at the level alpha
// (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987). They are not adjusted: what a gate bounds is
// the chance of a false alarm, and an equivalence raises none.
// Inconclusive: everything else. That is most of what is not significant, for it is not thereby equal; and what is
// significant but small, where the interval leaves open whether it is large enough to matter.
//
// No two of these can hold at once, for the interval holds the ratio. A comparison without intervals, from a single
// trial, is inconclusive. Sets without any variance have intervals without width and p = 0 or 1, so that their ratio
// decides. Times and rates of the same trials give the same answer, with `higher_is_better` turned round.
Change change_of(const Comparison& comparison, std::optional<double> adjusted_p, const Criteria& criteria);

}  // namespace loadline
