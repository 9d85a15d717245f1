// Curves of throughput over workers, as text.
#pragma once

#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"
#include "harness/show/wrap.h"

namespace loadline {

// The curves of each headline's loader, where it has at least three numbers of workers: a table with a bar for each
// number, and the two laws that describe the curve. Empty if there is no such curve.
std::string curves_text(const Result& result, const Judgement& judgement, std::size_t width = kUnlimited);

// The two laws that describe a curve, one line each; without those that could not be fitted.
std::string laws_text(const Curve& curve);

}  // namespace loadline
