#include "harness/judge/utilisation.h"

namespace loadline {

Estimate utilisation_of(std::span<const double> synthetic, std::span<const double> full) {
  const Ratio ratio = log_welch_ratio(synthetic, full);
  return {ratio.value, ratio.ci95};
}

bool is_enough(const Probe& probe, double asked) {
  static constexpr double kOneSided95 = 0.90;
  static_assert(kSearchError / kMostConfirmations == 0.025, "standing_of() goes by the 95 % interval");
  if (probe.confirms) return standing_of(utilisation_of(probe.synthetic, probe.full), asked) == Standing::kMet;
  const auto interval = interval_of(log_welch(probe.synthetic, probe.full), kOneSided95);
  return interval && interval->low >= asked;
}

std::optional<Standing> standing_of(const Search& search) {
  if (search.probes.empty() || !search.probes.back().confirms) return std::nullopt;
  const Probe& last = search.probes.back();
  return standing_of(utilisation_of(last.synthetic, last.full), search.utilisation);
}

}  // namespace loadline
