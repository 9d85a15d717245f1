#include "harness/judge/curves.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "harness/judge/judgement.h"
#include "harness/plan/settings.h"

namespace loadline {
namespace {

Curve curve_of(const Result& result, std::vector<std::size_t> cells) {
  std::ranges::sort(cells, {}, [&](std::size_t cell) { return result.cells[cell].cell.workers; });
  std::vector<std::vector<double>> rates;
  for (const std::size_t cell : cells) rates.push_back(rates_of(result.cells[cell]));
  std::vector<WorkerTrials> trials;
  std::vector<ScalingPoint> scaling;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t workers = result.cells[cells[i]].cell.workers;
    trials.push_back({.workers = workers, .samples_per_second = rates[i]});
    scaling.push_back({.workers = workers,
                       .samples_per_second = summarize(rates[i]).mean,
                       .weight = static_cast<double>(rates[i].size())});
  }
  Cell without_workers = result.cells[cells.front()].cell;
  without_workers.workers = 0;
  Curve curve{.name = without_workers.name(),
              .points = {},
              .scalability = fit_scalability(scaling),
              .capped_linear = fit_capped_linear(scaling)};
  const std::vector<WorkerPoint> points = worker_curve(trials);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    curve.points.push_back(
        {.cell = cells[i], .point = points[i], .cost = cost_per_thousand_samples(result.cells[cells[i]].trials)});
  }
  return curve;
}

}  // namespace

std::vector<Curve> curves_of(const Result& result) {
  std::vector<std::vector<std::size_t>> groups;
  std::unordered_map<std::string, std::size_t> group_of;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const CellResult& cell = result.cells[i];
    if (cell.cell.workers == 0 || cell.trials.empty()) continue;
    const auto [place, is_new] = group_of.emplace(key_of(cell.cell, kAllParts, "workers"), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(i);
  }
  std::vector<Curve> curves;
  for (std::vector<std::size_t>& group : groups) {
    if (group.size() > 1) curves.push_back(curve_of(result, std::move(group)));
  }
  return curves;
}

const Curve* curve_with(const std::vector<Curve>& curves, std::size_t cell) {
  for (const Curve& curve : curves) {
    if (std::ranges::find(curve.points, cell, &CurvePoint::cell) != curve.points.end()) return &curve;
  }
  return nullptr;
}

}  // namespace loadline
