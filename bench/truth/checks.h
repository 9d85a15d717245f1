// What holds for all that is printed.
#pragma once

#include <string>

#include "bench/truth/known.h"
#include "bench/truth/system.h"
#include "bench/truth/tally.h"
#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline::truth {

// As in the ids of targets: "one-in-ten" and "drift" by the noise, otherwise by the skewness of the trials, which have
// it from their noise and from the batches: "normal" up to 0.5, "skewed" up to 1.25, "very-skewed" beyond.
std::string_view kind_of(const Noise& noise, double skewness);

// Counts whether any two statements of what this result prints contradict each other.
void check_statements(Tally& tally, const Result& result, const Judgement& judgement, const std::string& subject);

}  // namespace loadline::truth
