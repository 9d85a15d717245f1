// What two sides that do not differ come to on one host: no smaller change can be told from nothing there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/statistics.h"
#include "harness/plan/plan.h"

namespace loadline {

struct NoiseFloor {
  // One cell, measured against itself.
  struct Part {
    std::string cell;
    Mode mode = Mode::kFull;
    double ratio = 1;  // of the second side to the first
    Interval ci95;
    double floor = 0;  // floor_of() it
  };

  std::optional<std::string> hostname;
  std::optional<std::string> cpu_model;
  std::string measured;  // ISO 8601, UTC
  std::size_t pairs = 0;
  double trial_seconds = 0;
  std::vector<Part> parts;

  // The largest of a mode's cells; none where none of them was measured.
  std::optional<double> of(Mode mode) const;
};

// The end of a ratio's interval that lies further from 1, as a relative change: 0.03 of (0.985, 1.03).
double floor_of(const Interval& ratio);

}  // namespace loadline
