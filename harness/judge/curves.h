// A run's curves of throughput over workers. Pure, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/cost.h"
#include "harness/judge/scaling.h"
#include "harness/judge/worker_curve.h"
#include "harness/result/result.h"

namespace loadline {

// One number of workers.
struct CurvePoint {
  std::size_t cell = 0;  // index in Result::cells
  WorkerPoint point;
  std::optional<Cost> cost;
};

// One loader at several numbers of workers, all else equal, in one mode.
struct Curve {
  std::string name;                // the name of its cells without their number of workers
  std::vector<CurvePoint> points;  // by ascending workers, at least two
  std::optional<ScalabilityFit> scalability;
  std::optional<CappedLinearFit> capped_linear;
};

// All curves, in the order of their first cells. Skips cells without trials.
std::vector<Curve> curves_of(const Result& result);

// The curve that has the cell of this index as a point; null where no curve has.
const Curve* curve_with(const std::vector<Curve>& curves, std::size_t cell);

}  // namespace loadline
