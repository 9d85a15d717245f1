// What a result says about ranks that were measured as one run, as text. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// How many ranks there are and what started them, in one line, and one line per host with the CPUs of each rank.
// Empty for a single process, like the functions below.
std::string ranks_text(const Result& result);

// Sentences for each headline: what the last rank to end costs the others, how far apart their starts were, and how
// long summing gradients holds up the step. A last sentence covers everything that was read: whether each sample
// appeared once per epoch.
std::string stragglers_text(const Result& result, const Judgement& judgement);

// A table for each headline with a row for each of its slowest ranks: rates, waits and CPU time.
std::string rank_rates_text(const Result& result, const Judgement& judgement, std::size_t width);

}  // namespace loadline
