// The ceilings of a result for people, as text. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/ceilings/ceilings.h"
#include "harness/judge/judgement.h"
#include "harness/result/result.h"
#include "harness/show/wrap.h"

namespace loadline {

// The table of ceilings, a row each, and what each kind of them is.
std::string ceilings_text(const Result& result, const Judgement& judgement, std::size_t width = kUnlimited);

// What these kinds of ceiling are, a line each, in the order of their table.
std::string legend_text(const std::vector<const CeilingKind*>& kinds);

}  // namespace loadline
