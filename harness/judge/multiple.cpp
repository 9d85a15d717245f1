#include "harness/judge/multiple.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

#include "loaders/error.h"

namespace loadline {
namespace {

using PValues = std::span<const std::optional<double>>;

// Indices of the tests that were made, from the smallest p to the largest.
std::vector<std::size_t> ascending(PValues p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!p[i]) continue;
    if (!(*p[i] >= 0 && *p[i] <= 1)) throw Error(fmt::format("p value: want one between 0 and 1, got {}", *p[i]));
    order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return *p[i]; });
  return order;
}

}  // namespace

std::vector<std::optional<double>> holm(PValues p) {
  const std::vector<std::size_t> order = ascending(p);
  std::vector<std::optional<double>> adjusted(p.size());
  double highest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto hypotheses_left = static_cast<double>(order.size() - rank);
    highest = std::max(highest, std::min(1.0, hypotheses_left * *p[order[rank]]));
    adjusted[order[rank]] = highest;
  }
  return adjusted;
}

std::vector<std::optional<double>> benjamini_hochberg(PValues p) {
  const std::vector<std::size_t> order = ascending(p);
  const auto tests = static_cast<double>(order.size());
  std::vector<std::optional<double>> adjusted(p.size());
  double lowest = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t i = order[rank - 1];
    lowest = std::min(lowest, tests / static_cast<double>(rank) * *p[i]);
    adjusted[i] = lowest;
  }
  return adjusted;
}

}  // namespace loadline
