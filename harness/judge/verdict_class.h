// What the figures of a verdict show, and why not more. A part of verdict.h.
#pragma once

#include <cstdint>

#include "harness/judge/verdict_figures.h"

namespace loadline {

// Why a bound is unclear.
enum class Doubt : std::uint8_t {
  kNone,
  kOneTrial,       // a mode has a single trial
  kHarness,        // too noisy to say whether the step is long enough for this harness
  kContradiction,  // FULL beat what bounds it
  kBatches,        // the same, or it lost more than loading explains, and its batches are not those of SYNTHETIC
  kStall,          // too noisy to say whether the compute waits
  kSupply,         // too noisy to say whether loading alone keeps up
  kFill,           // what the loader fills without a drain was not measured, and what is known does not settle it
  kOverlap,        // loading alone keeps up: too noisy to say whether FULL falls short of the slower of the two
};

struct Finding {
  Bound bound = Bound::kUnclear;
  Doubt doubt = Doubt::kNone;
  bool by_drain = false;  // for kHarness: the limit is IO's consumer, not a step that is too short
};

// A bound is stated only where the 95 % intervals support it. Each condition uses one end of one interval, which errs
// in 2.5 % of cases at its limit and less beyond. The rules are in results/README.md, "Formulas".
Finding classify(const Figures& figures);

// Whether the compute waits so little that faster loading gains nothing, and whether it waits at all, by the interval
// of the stall. Both may hold between kNoticeable and kTooWide, where either is right.
bool hardly_waits(const Verdict& verdict);
bool waits(const Verdict& verdict);

}  // namespace loadline
