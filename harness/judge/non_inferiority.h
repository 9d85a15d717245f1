// Which of several sets are worse than the best by no more than a margin. Pure, safe from any thread.
//
// With X the true throughputs, set i is sufficient within the margin m if X(j) <= (1 + m) X(i) for every other j.
// This is shown where the upper one-sided bound of every X(j) / X(i), by Welch's test of the logarithms, is at most 1
// + m. Noise makes that harder, whereas it makes an overlap of intervals more likely. The bounds hold with 95 % for
// all sets together. A wrong "sufficient" is always wrong about the true best, with which each of the k sets is
// compared once, so each comparison has the level 5 % / (k - 1) (multiple comparisons with the best: Hsu, Annals of
// Statistics 12, 1984; Bonferroni in place of Dunnett's common variance). It assumes that the trials of a set are
// independent and that the mean of their logarithms is about normal.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace loadline {

inline constexpr double kRecommendationError = 0.05;  // probability of calling any set sufficient that is not

// Indices of the sets that may be more than `margin` faster than set `i`; empty: it is sufficient. `sets`: rates, no
// set empty. A set with a single trial is never excluded, since it has no bound. Throws Error on a rate that is not
// positive and finite.
std::vector<std::size_t> rivals_of(std::span<const std::vector<double>> sets, std::size_t i, double margin);

// Whether rivals_of() is empty; stops at the first rival.
bool is_sufficient(std::span<const std::vector<double>> sets, std::size_t i, double margin);

// Trials per set that would show set `i` to be sufficient four times in five if it were as fast as its `rivals`:
// trials_to_detect() with the mean of the two variances of a logarithm, the maximum over the rivals. std::nullopt
// where a spread is not known.
std::optional<double> trials_to_show(std::span<const std::vector<double>> sets, std::size_t i,
                                     std::span<const std::size_t> rivals, double margin);

}  // namespace loadline
