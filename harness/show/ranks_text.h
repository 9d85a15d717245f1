// What a result tells of ranks that were measured as one run, as text. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// How many there are, what started them, and which CPUs each has: a line, and one a host. Empty of a process alone,
// like the others.
std::string ranks_text(const Result& result);

// What the slowest rank costs the others, how far their starts were apart and for how long sums of gradients hold the
// step: sentences for each headline. Behind them one of all that was read: whether each sample came once an epoch.
std::string stragglers_text(const Result& result, const Judgement& judgement);

// A table of ranks for each headline, with a row for each of the slowest: their rates, waits and CPUs' time.
std::string rank_rates_text(const Result& result, const Judgement& judgement, std::size_t width);

}  // namespace loadline
