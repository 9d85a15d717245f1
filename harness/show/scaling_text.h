// Curves of throughput over workers, as text.
#pragma once

#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"
#include "harness/show/wrap.h"

namespace loadline {

// The curves of each headline's loader, where it has at least three numbers of workers: a table with a bar for each,
// and the two laws that describe it. Empty where there is none.
std::string curves_text(const Result& result, const Judgement& judgement, std::size_t width = kUnlimited);

// The two laws that describe a curve, a line each, as far as they are there.
std::string laws_text(const Curve& curve);

}  // namespace loadline
