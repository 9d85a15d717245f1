// Checks of printed results.
#pragma once

#include <string>

#include "bench/truth/known.h"
#include "bench/truth/system.h"
#include "bench/truth/tally.h"
#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline::truth {

// A kind of noise as in the ids of targets: "one-in-ten" and "drift" follow from the noise. The others follow from
// the skewness of the trials, which comes from noise and batches: "normal" up to 0.5, "skewed" up to 1.25,
// "very-skewed" beyond.
std::string_view kind_of(const Noise& noise, double skewness);

// Whether coverage can be counted: the truth is known so much better than the interval that its own error does not
// matter, and the interval has a width, which it lacks if all trials are equal. `error` is relative.
bool can_be_covered(const Interval& interval, double truth, double error);

// Counts whether any two statements printed for this result contradict each other.
void check_statements(Tally& tally, const Result& result, const Judgement& judgement, const std::string& subject);

}  // namespace loadline::truth
