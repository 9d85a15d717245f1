#include "harness/judge/load_line.h"

namespace loadline {

std::optional<LoadLine> load_line(std::span<const double> achieved, std::span<const std::vector<double>> bounds) {
  if (achieved.empty()) return std::nullopt;
  std::optional<LoadLine> lowest;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i].empty()) continue;
    const Summary bound = summarize(bounds[i]);
    if (lowest && bound.mean >= lowest->samples_per_second) continue;
    lowest = LoadLine{.binding = i, .samples_per_second = bound.mean, .efficiency = {}, .ci95 = bound.ci95};
  }
  if (!lowest) return std::nullopt;
  const Ratio ratio = log_welch_ratio(bounds[lowest->binding], achieved);
  lowest->efficiency = {ratio.value, ratio.ci95};
  return lowest;
}

bool beaten(const LoadLine& line) {
  return line.efficiency.ci95 && line.efficiency.ci95->low > 1 + kBeatenMargin;
}

}  // namespace loadline
