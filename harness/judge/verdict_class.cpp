#include "harness/judge/verdict_class.h"

namespace loadline {
namespace {

constexpr double kSlower = 1 - kNoticeable;
constexpr double kFaster = 1 + kNoticeable;

// From this supply on, loading alone is the faster of the two; between it and kFaster either answer is right.
constexpr double kClearlyFaster = 1.10;

bool below(const Bounds& bounds, double limit) {
  return bounds.high && *bounds.high < limit;
}

bool lost_in_overhead(const Figures& figures) {
  const auto& step = figures.step_overhead;
  return step && step->ci95 && step->ci95->high < kOverheadMargin;
}

bool beats_its_compute(const Verdict& verdict) {
  const auto& utilisation = verdict.accelerator_utilisation;
  return utilisation && utilisation->ci95 && utilisation->ci95->low > kFaster;
}

bool beats_its_bound(const Figures& figures) {
  if (beats_its_compute(figures.verdict)) return true;
  return figures.verdict.supply_measured && figures.of_bound.low > kFaster;
}

Finding doubt_of_supply(const Figures& figures) {
  return {Bound::kUnclear, figures.verdict.supply_measured ? Doubt::kSupply : Doubt::kFill};
}

Finding classify_busy(const Figures& figures) {
  if (figures.supply.low > kFaster) return {Bound::kCompute};
  if (below(figures.supply, kClearlyFaster)) return {Bound::kBalanced};
  return doubt_of_supply(figures);
}

Finding classify_waiting(const Figures& figures) {
  const bool enough = figures.supply.low > kSlower;
  if (below(figures.supply, 1)) {
    // Loading alone is slower by so little that it hardly matters: what FULL lacks beyond that decides.
    if (enough && below(figures.of_bound, kSlower)) return {Bound::kInterference};
    return {Bound::kLoader};
  }
  if (!enough) return doubt_of_supply(figures);
  if (below(figures.of_bound, 1) && figures.of_bound_value < kSlower) return {Bound::kInterference};
  if (figures.of_bound.low > kSlower) return {Bound::kBalanced};
  return {Bound::kUnclear, figures.verdict.supply_measured ? Doubt::kOverlap : Doubt::kFill};
}

}  // namespace

bool hardly_waits(const Verdict& verdict) {
  return verdict.stall && verdict.stall->ci95 && verdict.stall->ci95->high < kTooWide;
}

bool waits(const Verdict& verdict) {
  return verdict.stall && verdict.stall->ci95 && verdict.stall->ci95->low > kNoticeable;
}

Finding classify(const Figures& figures) {
  const Verdict& verdict = figures.verdict;
  const bool io_alone = !verdict.supply && !figures.with_full;
  if (io_alone && figures.drained) return {.bound = Bound::kHarness, .by_drain = true};
  if (!verdict.stall || !verdict.supply) {
    // Figures that contradict each other say nothing, whatever else is measured.
    if (beats_its_compute(verdict) && !figures.unlike_batches) return {Bound::kUnclear, Doubt::kContradiction};
    return {Bound::kIncomplete};
  }
  if (figures.single) return {Bound::kUnclear, Doubt::kOneTrial};
  if (lost_in_overhead(figures)) return {Bound::kHarness};
  if (figures.step_overhead && figures.step_overhead->value < kOverheadMargin) {
    return {Bound::kUnclear, Doubt::kHarness};
  }
  const bool beats = beats_its_bound(figures);
  if (beats && !figures.unlike_batches) return {Bound::kUnclear, Doubt::kContradiction};
  const Finding waiting = waits(verdict) ? classify_waiting(figures) : Finding{};
  if (figures.unlike_batches && (beats || waiting.bound == Bound::kInterference)) {
    return {Bound::kUnclear, Doubt::kBatches};
  }
  if (waits(verdict)) return waiting;
  if (hardly_waits(verdict)) return classify_busy(figures);
  return {Bound::kUnclear, Doubt::kStall};
}

}  // namespace loadline
