// Which of several are no worse than the best by more than a margin. Pure, safe from any thread.
//
// With X the true throughputs, set i is sufficient within the margin m if X(j) <= (1 + m) X(i) for every other j. It is
// shown to be so where the upper one-sided bound of every X(j) / X(i), by Welch's test of the logarithms, is at most
// 1 + m: noise makes that harder, where an overlap of intervals grows kinder with noise. The bounds hold with 95 % for
// all sets together. A wrong "sufficient" is always one about the best of all, against which each of k sets is compared
// once, so that each comparison has the level 5 % / (k - 1) (multiple comparisons with the best: Hsu, Annals of
// Statistics 12, 1984; Bonferroni in place of Dunnett's common variance). It assumes that the trials of a set are
// independent and that the mean of their logarithms is about normal.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace loadline {

inline constexpr double kRecommendationError = 0.05;  // of calling any set sufficient that is not

// Indices of the sets that may be more than `margin` faster than set `i`; empty: it is sufficient. Sets of rates, none
// of them empty; one with a single trial is never excluded, as there is no bound. Throws Error on a rate that is not
// positive and finite.
std::vector<std::size_t> rivals_of(std::span<const std::vector<double>> sets, std::size_t i, double margin);

// The same, ended at the first of them.
bool is_sufficient(std::span<const std::vector<double>> sets, std::size_t i, double margin);

// Trials of each set that would show set `i` to be sufficient four times in five, were it as fast as its `rivals`: by
// trials_to_detect() with the mean of the two variances of a logarithm, the most over the rivals. std::nullopt where a
// spread is not known.
std::optional<double> trials_to_show(std::span<const std::vector<double>> sets, std::size_t i,
                                     std::span<const std::size_t> rivals, double margin);

}  // namespace loadline
