#include "harness/judge/utilisation.h"

namespace loadline {

Estimate utilisation_of(std::span<const double> synthetic, std::span<const double> full) {
  const Ratio ratio = log_welch_ratio(synthetic, full);
  return {ratio.value, ratio.ci95};
}

std::optional<double> least_utilisation_of(const Probe& probe) {
  static constexpr double kOneSided95 = 0.90;
  static_assert(kSearchError / kMostConfirmations == 0.025, "a whole run is judged by the 95 % interval");
  const auto interval = probe.confirms ? utilisation_of(probe.synthetic, probe.full).ci95
                                       : interval_of(log_welch(probe.synthetic, probe.full), kOneSided95);
  return interval ? std::optional(interval->low) : std::nullopt;
}

bool is_enough(const Probe& probe, double asked) {
  const auto least = least_utilisation_of(probe);
  return least && *least >= asked;
}

std::optional<Standing> standing_of(const Search& search) {
  if (search.probes.empty() || !search.probes.back().confirms) return std::nullopt;
  const Probe& last = search.probes.back();
  return standing_of(utilisation_of(last.synthetic, last.full), search.utilisation);
}

}  // namespace loadline
