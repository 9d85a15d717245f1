// Noise floors made by hand.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "harness/judge/noise.h"
#include "harness/judge/student_t.h"

namespace loadline::test {

// Five pairs of runs that have this floor.
inline NoiseFloor::Part part_with(double floor, Mode mode, std::string cell = "cell", std::string workload = "mnist") {
  const double ratio = std::exp(std::log1p(floor) / t_quantile(0.95, 5));
  return {.cell = std::move(cell),
          .workload = std::move(workload),
          .mode = mode,
          .trial_seconds = 0.25,
          .ratios = {ratio, 1 / ratio, ratio, ratio, 1 / ratio}};
}

// A noise floor from runs of three trials, on the machine and with the build of result_of().
inline NoiseFloor noise_of(std::vector<NoiseFloor::Part> parts) {
  NoiseFloor noise{.measured = "2026-11-22T10:00:00Z", .pairs = 5, .trials = 3, .boost = {}, .parts = std::move(parts)};
  noise.machine.hostname = "host";
  noise.machine.threads_in_force = 4;
  noise.build = {.version = "1.2.3", .build_type = "Release"};
  return noise;
}

}  // namespace loadline::test
