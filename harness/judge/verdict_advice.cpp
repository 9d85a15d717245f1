#include "harness/judge/verdict_advice.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "harness/judge/load_line.h"
#include "harness/judge/phrase.h"

namespace loadline {

std::string faster_loading(const Evidence& evidence) {
  // A replayed loader is as fast as it was.
  if (evidence.loader.starts_with("replay:")) return "fix the recorded loader, or choose another --loader";
  if (evidence.workers == 0) return "use a --loader with workers";
  const auto& reached = evidence.ceiling_efficiency;
  const bool near_ceiling = reached && reached->ci95 && reached->ci95->low >= kNearCeiling;
  if (near_ceiling && evidence.device_binds) {
    return "use faster storage or a format with fewer bytes per sample, as no --loader can read much faster from this "
           "one";
  }
  if (evidence.threads_in_force == 0 || evidence.workers < evidence.threads_in_force) {
    if (near_ceiling) return "raise --workers: no --loader can be much faster with so few";
    return "raise --workers or use a faster --loader";
  }
  return fmt::format(
      "each of the {} CPUs in force has a worker already{} give each sample less work or get more CPUs (more --workers "
      "only if they wait for storage)",
      evidence.threads_in_force,
      near_ceiling ? " and no --loader can be much faster on these CPUs, so" : ", so use a faster --loader,");
}

bool crowded(const Evidence& evidence) {
  return evidence.compute_threads > 0 && evidence.threads_in_force > 0 &&
         evidence.workers + evidence.compute_threads > evidence.threads_in_force;
}

std::string crowd_advice(const Evidence& evidence) {
  std::string remedy = evidence.threads_in_force > 1 ? "use --placement split" : "get more CPUs";
  if (evidence.compute_threads > 1) remedy += " or fewer --compute-threads";
  return fmt::format("{} and {} share {}: {}", plural(evidence.workers, "worker"),
                     plural(evidence.compute_threads, "compute thread"), plural(evidence.threads_in_force, "CPU"),
                     remedy);
}

std::string more_trials(std::initializer_list<std::span<const double>> sets) {
  static constexpr double kMost = 100;  // beyond, the advice would be worse than none
  double widest = 0;
  std::size_t most = 0;
  for (const auto& rates : sets) {
    if (rates.empty()) continue;
    const Summary summary = summarize(rates);
    widest = std::max(widest, summary.stddev.value_or(0) / summary.mean);
    most = std::max(most, summary.count);
  }
  const double trials = std::ceil(std::max(trials_to_detect(widest, kNoticeable), static_cast<double>(most + 1)));
  if (trials > kMost) return "first find what disturbs this machine: no reasonable number of trials would settle it";
  return fmt::format("use a quieter machine or --trials {:.0f}", trials);
}

std::string more_trials_of_all(const Evidence& evidence) {
  return more_trials({evidence.fill.empty() ? evidence.io : evidence.fill, evidence.synthetic, evidence.full});
}

}  // namespace loadline
