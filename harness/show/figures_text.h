// All figures of a run, as text.
#pragma once

#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"
#include "harness/show/wrap.h"

namespace loadline {

// The table, the verdict and how noisy the trials were; then, where present, what to use, worker curves, predictions,
// what was searched for, and stages.
std::string figures_text(const Result& result, const Judgement& judgement, std::size_t width = kUnlimited);

}  // namespace loadline
