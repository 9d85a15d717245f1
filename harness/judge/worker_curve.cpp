#include "harness/judge/worker_curve.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "loaders/error.h"

namespace loadline {

namespace {

Estimate efficiency_of(const WorkerTrials& many, const WorkerTrials& one) {
  const auto workers = static_cast<double>(many.workers);
  const Ratio ratio = log_welch_ratio(one.samples_per_second, many.samples_per_second);
  Estimate efficiency{ratio.value / workers, ratio.ci95};
  if (efficiency.ci95) efficiency.ci95 = {efficiency.ci95->low / workers, efficiency.ci95->high / workers};
  return efficiency;
}

}  // namespace

std::vector<WorkerPoint> worker_curve(std::span<const WorkerTrials> curve) {
  struct Count {
    WorkerTrials trials;
    Summary summary;
  };
  std::vector<Count> counts;
  for (const WorkerTrials& trials : curve) {
    if (trials.samples_per_second.empty()) continue;
    const Summary summary = summarize(trials.samples_per_second);
    if (!(summary.min > 0)) throw Error(fmt::format("worker curve: want positive rates, got {}", summary.min));
    counts.push_back({trials, summary});
  }
  std::ranges::sort(counts, {},
                    [](const Count& count) { return std::pair(count.trials.workers, -count.summary.mean); });

  const auto one = std::ranges::find(counts, 1U, [](const Count& count) { return count.trials.workers; });
  std::vector<WorkerPoint> points;
  for (const Count& count : counts) {
    WorkerPoint point{count.trials.workers, {count.summary.mean, count.summary.ci95}};
    if (point.workers == 1) {
      point.efficiency = Estimate{1, Interval{1, 1}};
    } else if (point.workers > 1 && one != counts.end()) {
      point.efficiency = efficiency_of(count.trials, one->trials);
    }
    points.push_back(point);
  }
  return points;
}

}  // namespace loadline
