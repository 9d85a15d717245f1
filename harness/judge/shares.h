// Whether a change of FULL comes from the step or from loading. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/judge/judgement.h"
#include "harness/judge/statistics.h"
#include "harness/judge/verdict.h"
#include "harness/result/result.h"

namespace loadline {

// What limits one of the two configurations, and how much of the time that costs.
struct Bottleneck {
  std::optional<Estimate> stall;
  Bound bound = Bound::kIncomplete;
};

// FULL = SYNTHETIC x utilisation on each side, with utilisation = FULL / SYNTHETIC. So in geometric means
//
//   FULL' / FULL = (SYNTHETIC' / SYNTHETIC) x (utilisation' / utilisation)
//
// and the two factors multiply to the change of FULL exactly. The intervals are those of log_product().
struct Shares {
  Estimate compute;         // the first factor
  Estimate loading;         // the second
  bool other_step = false;  // the steps differ in their settings; otherwise the first factor is noise
  Bottleneck before;
  Bottleneck after;
};

// The shares of two FULL cells, given by their indices; nullopt where one of the modes has no trials.
std::optional<Shares> shares_between(const Result& base, const Judgement& base_judgement, std::size_t base_full,
                                     const Result& changed, const Judgement& changed_judgement,
                                     std::size_t changed_full);

}  // namespace loadline
