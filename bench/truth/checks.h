// What holds for all that is printed.
#pragma once

#include <string>

#include "bench/truth/system.h"
#include "bench/truth/tally.h"
#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline::truth {

// "normal", "skewed", "very-skewed", "one-in-ten", "drift": as in the ids of targets.
std::string_view short_name(NoiseKind kind);

// Counts whether any two statements of what this result prints contradict each other.
void check_statements(Tally& tally, const Result& result, const Judgement& judgement, const std::string& subject);

}  // namespace loadline::truth
