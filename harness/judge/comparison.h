// How one set of trials compares with another: the ratio, what follows from it, and what it would take to say more.
// Pure functions, safe from any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "harness/judge/statistics.h"

namespace loadline {

// What a change has to be to count as one.
struct Criteria {
  double margin = 0.03;          // relative; a smaller change is not worth acting on; at least 0
  double alpha = 0.05;           // level of the tests; above 0 and below 0.5
  bool higher_is_better = true;  // rates; false: times
};

struct Comparison {
  Ratio ratio;  // changed / base, with its p before any adjustment for other tests
  // The interval of the ratio with probability 1 - 2 alpha (90 % at alpha = 0.05), which decides equivalence.
  std::optional<Interval> equivalence_interval;
  // The smallest relative change that as many trials, as noisy as these, would call a regression or an improvement
  // four times in five if no other tests were made.
  std::optional<double> detectable;
  // Trials, or pairs, on each side with which a change as large as the margin is significant four times in five. With
  // as many, an unchanged rate is found equivalent three times in four, and a change of 1.3 margins is called a
  // regression or an improvement four times in five. A whole number, at least 2; absent where the margin is 0.
  std::optional<double> trials_needed;
};

// Compares independent sets by Welch's test on the logarithms. With a single trial in a set the result holds the
// ratio and nothing else. Throws Error if a set is empty or holds anything but positive finite values, or a criterion
// is out of range.
Comparison compare(std::span<const double> base, std::span<const double> changed, const Criteria& criteria);

// Compares pairs base[i] and changed[i], measured side by side, by the t test of their log ratios. Throws Error as
// compare(), or if the sets differ in size.
Comparison compare_pairs(std::span<const double> base, std::span<const double> changed, const Criteria& criteria);

enum class Change { kRegression, kImprovement, kEquivalent, kInconclusive };

// "regression", "improvement", "equivalent", "inconclusive".
std::string_view name(Change change);

// The worst of several changes that are judged together: regression, then inconclusive, then improvement, then
// equivalent. Inconclusive for an empty list.
Change worst_of(std::span<const Change> changes);

// What a comparison shows. `adjusted_p` is its p after adjustment for all tests that were made (multiple.h);
// `criteria` are those it was made with.
//
// Regression, improvement: the adjusted p is below alpha and the ratio itself lies outside the margin: above 1 +
// margin or below 1 / (1 + margin), for the worse or the better. The ratio must differ from 1 significantly; it need
// not exceed the margin significantly. Equivalent: the interval lies within the margin, ends included. These are two
// one-sided tests at the level alpha (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987). They
// are not adjusted: a gate bounds the chance of a false alarm, and an equivalence raises no alarm. Inconclusive:
// everything else. That covers most changes that are not significant, since these are not thereby equal; and changes
// that are significant but small, where the interval leaves open whether they matter.
//
// No two of these can hold at once, because the interval contains the ratio. A comparison without intervals, from a
// single trial, is inconclusive. Sets without any variance have intervals of zero width and p = 0 or 1, so their
// ratio decides. Times and rates of the same trials give the same answer with `higher_is_better` inverted.
Change change_of(const Comparison& comparison, std::optional<double> adjusted_p, const Criteria& criteria);

}  // namespace loadline
