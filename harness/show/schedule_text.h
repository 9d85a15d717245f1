// What a run is going to do, and why it did no more, as text.
#pragma once

#include <string>

#include "harness/judge/judgement.h"
#include "harness/measure/schedule.h"
#include "harness/result/result.h"
#include "harness/show/wrap.h"

namespace loadline {

// What would be run, one line per cell, and about how long it takes.
std::string plan_text(const Result& prepared, const Schedule& schedule, std::size_t width = kUnlimited);

// "8 cells and 7 ceilings, 5 trials each, about 19 s"; "24 cells, 3 to 20 of 50 trials each to fit the time limit,
// about 1 min 2 s to 5 min 0 s".
std::string scope_text(const Result& prepared, const Schedule& schedule);
// The same for ceilings only.
std::string ceilings_scope_text(const Result& prepared, const Schedule& schedule);

// Why cells have fewer trials than requested, one sentence per line; empty where all have as many as requested.
std::string stopped_text(const Result& result, const Judgement& judgement);

// That the time limit ended the run before any cell had a trial, and what to do, as one sentence; empty if it did not.
std::string no_trial_text(const Result& result);

}  // namespace loadline
