// The figures of a verdict with their intervals. A part of verdict.h.
#pragma once

#include <optional>

#include "harness/judge/verdict.h"

namespace loadline {

// What is known of a positive figure. An end is missing where no trials bound it, or a mode has a single trial.
struct Bounds {
  double low = 0;
  std::optional<double> high;  // absent: infinite
};

// All that classification and sentences rest on.
struct Figures {
  Verdict verdict;                        // its estimates; bound, goal and sentence are not set yet
  std::optional<Estimate> full_of_fill;   // FULL over L, or over IO where L was not measured
  std::optional<Estimate> step_overhead;  // a step of FULL over the harness's own cost per batch
  bool unlike_batches = false;            // those of SYNTHETIC and FULL noticeably differ in their numbers of samples
  bool blurred_step = false;              // one of SYNTHETIC, on average, is less than kOverheadMargin times that cost
  Bounds supply;                          // by the intervals: L over SYNTHETIC, whether L was measured or not
  Bounds of_bound;                        // the same of FULL over the slower of SYNTHETIC and L
  double of_bound_value = 0;              // the largest value of `of_bound` by the means
  bool with_full = false;                 // FULL was run
  bool drained = false;                   // IO is as fast as its one consumer can read
  bool single = false;                    // a mode that these need has a single trial
};

Figures figures_of(const Evidence& evidence);

// The same with every interval collapsed to its value: what the trials suggest if uncertainty is ignored.
Figures at_values(const Figures& figures);

}  // namespace loadline
