// What a verdict advises. A part of verdict.h.
#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include "harness/judge/verdict.h"

namespace loadline {

// Clauses without an end, such as "raise --workers or use a faster --loader".

// What would make loading faster.
std::string faster_loading(const Evidence& evidence);

// Whether workers and a compute that computes on CPUs are more threads than there are CPUs for them, and what to do.
bool crowded(const Evidence& evidence);
std::string crowd_advice(const Evidence& evidence);

// Trials that would tell a noticeable difference from none four times in five, going by the spread of those at hand:
// the rates of each of `sets`, or of all modes.
std::string more_trials(std::initializer_list<std::span<const double>> sets);
std::string more_trials_of_all(const Evidence& evidence);

}  // namespace loadline
