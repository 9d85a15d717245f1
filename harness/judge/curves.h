// Curves of throughput over workers, as a run has them. Pure, safe from any thread.
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

// One loader at several numbers of workers, all else alike, in one mode.
struct Curve {
  std::string name;                // that of its cells without their number of workers
  std::vector<CurvePoint> points;  // by ascending workers, at least two
  std::optional<ScalabilityFit> scalability;
  std::optional<CappedLinearFit> capped_linear;
};

// All of them, in the order of their first cells. Cells without trials are passed over.
std::vector<Curve> curves_of(const Result& result);

// The one that the cell of this index is a point of; null where it is in none.
const Curve* curve_with(const std::vector<Curve>& curves, std::size_t cell);

}  // namespace loadline
