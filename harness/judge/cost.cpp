#include "harness/judge/cost.h"

#include <vector>

namespace loadline {

std::optional<Cost> cost_per_thousand_samples(std::span<const Trial> trials) {
  static constexpr double kBytesPerMebibyte = 1024 * 1024;
  std::vector<double> cpu_seconds;
  std::vector<double> mebibytes;
  for (const Trial& trial : trials) {
    if (trial.samples == 0 || trial.pilot) continue;
    const double thousands = static_cast<double>(trial.samples) / 1000;
    cpu_seconds.push_back((trial.usage.user_cpu_seconds + trial.usage.system_cpu_seconds) / thousands);
    mebibytes.push_back(static_cast<double>(trial.bytes) / kBytesPerMebibyte / thousands);
  }
  if (cpu_seconds.empty()) return std::nullopt;
  return Cost{.cpu_seconds = summarize(cpu_seconds), .mebibytes = summarize(mebibytes)};
}

}  // namespace loadline
