// The ceilings of a result, as text. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/ceilings/ceilings.h"
#include "harness/judge/judgement.h"
#include "harness/result/result.h"
#include "harness/show/wrap.h"

namespace loadline {

// The table of ceilings, one row each, and an explanation of each kind.
std::string ceilings_text(const Result& result, const Judgement& judgement, std::size_t width = kUnlimited);

// An explanation of each of these kinds of ceiling, one line each, in the order of the table of kinds.
std::string legend_text(const std::vector<const CeilingKind*>& kinds);

}  // namespace loadline
