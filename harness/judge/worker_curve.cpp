#include "harness/judge/worker_curve.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace loadline {

std::optional<WorkerChoice> fewest_sufficient(std::span<const WorkerTrials> curve) {
  std::vector<WorkerPoint> points;
  for (const WorkerTrials& trials : curve) {
    if (trials.samples_per_second.empty()) continue;
    const Summary summary = summarize(trials.samples_per_second);
    points.push_back({trials.workers, {summary.mean, summary.ci95}});
  }
  if (points.empty()) return std::nullopt;

  std::sort(points.begin(), points.end(), [](const WorkerPoint& a, const WorkerPoint& b) {
    return std::tuple(a.workers, -a.samples_per_second.value) < std::tuple(b.workers, -b.samples_per_second.value);
  });
  const auto best = std::max_element(points.begin(), points.end(), [](const WorkerPoint& a, const WorkerPoint& b) {
    return a.samples_per_second.value < b.samples_per_second.value;
  });
  const auto fewest = std::find_if(points.begin(), points.end(), [&](const WorkerPoint& point) {
    return overlap(point.samples_per_second, best->samples_per_second);
  });
  return WorkerChoice{*fewest, *best};  // `fewest` is at the latest `best` itself
}

}  // namespace loadline
