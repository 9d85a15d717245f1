#include "harness/judge/mann_whitney.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "loaders/error.h"

namespace loadline {
namespace {

// Ranks of all values, those of `a` first, twice over so that the mean rank of equal values is a whole number.
std::vector<std::size_t> doubled_ranks(std::span<const double> a, std::span<const double> b) {
  std::vector<double> values(a.begin(), a.end());
  values.insert(values.end(), b.begin(), b.end());
  for (const double value : values)
    if (!std::isfinite(value)) throw Error(fmt::format("ranks of trials: want finite values, got {}", value));
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  std::vector<std::size_t> ranks;
  for (const double value : values) {
    const auto equal = std::ranges::equal_range(sorted, value);
    const auto below = static_cast<std::size_t>(equal.begin() - sorted.begin());
    ranks.push_back(2 * below + equal.size() + 1);
  }
  return ranks;
}

}  // namespace

std::optional<double> mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty() || a.size() + b.size() > kMostForMannWhitney) return std::nullopt;
  const std::vector<std::size_t> ranks = doubled_ranks(a, b);
  const auto own_end = ranks.begin() + static_cast<std::ptrdiff_t>(a.size());
  const std::size_t own = std::accumulate(ranks.begin(), own_end, std::size_t{0});
  const std::size_t all = std::accumulate(own_end, ranks.end(), own);

  // ways[k][s]: subsets of k of the ranks seen so far whose sum is s. Counts stay far inside what a double holds.
  std::vector<std::vector<double>> ways(a.size() + 1, std::vector<double>(all + 1));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks)
    for (std::size_t k = a.size(); k > 0; --k)
      for (std::size_t sum = all; sum >= rank; --sum) ways[k][sum] += ways[k - 1][sum - rank];

  const std::vector<double>& of_size = ways.back();
  const auto at_own = of_size.begin() + static_cast<std::ptrdiff_t>(own);
  const double not_above = std::accumulate(of_size.begin(), at_own + 1, 0.0);
  const double not_below = std::accumulate(at_own, of_size.end(), 0.0);
  const double subsets = std::accumulate(of_size.begin(), of_size.end(), 0.0);
  return std::min(1.0, 2 * std::min(not_above, not_below) / subsets);
}

}  // namespace loadline
