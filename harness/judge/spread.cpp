#include "harness/judge/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace loadline {
namespace {

constexpr double kAlpha = 0.05;

// The logarithm of a ratio of two means of `trials` each has twice the variance of one mean, and the degrees of both.
double detectable(double variation, std::size_t trials) {
  const auto count = static_cast<double>(trials);
  return std::expm1(detectable_difference({2 * variation * variation / count, 2 * (count - 1)}, kAlpha));
}

// "1.2 %", "0.034 %", "41 %".
std::string short_percent(double share) {
  return 100 * share < 9.95 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

std::string count_text(std::size_t fewest, std::size_t most) {
  return fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most);
}

}  // namespace

std::optional<Spread> spread_of(const Result& result, const std::vector<CellSummary>& summaries) {
  Spread spread;
  std::vector<double> variations;
  std::vector<double> changes;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const auto& rate = summaries[i].samples_per_second;
    if (result.cells[i].cell.mode == Mode::kOverhead || !rate || !rate->stddev) continue;
    const double variation = *rate->stddev / rate->mean;
    if (variations.empty() || variation > spread.worst) {
      spread.worst = variation;
      spread.worst_cell = i;
    }
    spread.fewest_trials = variations.empty() ? rate->count : std::min(spread.fewest_trials, rate->count);
    spread.most_trials = std::max(spread.most_trials, rate->count);
    variations.push_back(variation);
    changes.push_back(detectable(variation, rate->count));
  }
  if (variations.empty()) return std::nullopt;
  spread.cells = variations.size();
  spread.variation = median_of(variations);
  spread.detectable = median_of(changes);
  return spread;
}

std::string spread_sentence(const Spread& spread, const Result& result) {
  const std::string name = result.cells[spread.worst_cell].cell.name();
  const std::string whose = spread.cells == 1 ? name
                                              : fmt::format("median of {} cells; worst {}, {}", spread.cells,
                                                            short_percent(spread.worst), name);
  const std::string trials = count_text(spread.fewest_trials, spread.most_trials);
  const std::string vary =
      fmt::format("Trials vary by {} of their mean ({}): ", short_percent(spread.variation), whose);
  // A slowdown of all is as much as there is.
  if (spread.detectable >= 1) {
    return vary + fmt::format("two runs with {} trials each do not show even a factor of two reliably.", trials);
  }
  return vary + fmt::format("two runs with {} trials each show a change of {} in four cases of five.", trials,
                            short_percent(spread.detectable));
}

}  // namespace loadline
