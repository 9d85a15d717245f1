// What a verdict advises. A part of verdict.h.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>

#include "harness/judge/verdict.h"
#include "harness/result/result.h"

namespace loadline {

// Clauses without a full stop, such as "raise --workers or use a faster --loader".

// What would make loading faster. Neither this nor what follows advises what the same run tried without a gain.
std::string faster_loading(const Evidence& evidence);

// Whether loading is bound by storage: more reads in flight would not help, as far as is known.
bool storage_binds(const Evidence& evidence);

// What would let loading and compute overlap more, also where they mostly take turns.
std::string more_overlap(const Evidence& evidence);
std::string fewer_turns(const Evidence& evidence);
// What would let the two disturb each other less.
std::string less_disturbance(const Evidence& evidence);

// Whether workers and a compute on CPUs have more threads than CPUs, and what to do about it.
bool crowded(const Evidence& evidence);
std::string crowd_advice(const Evidence& evidence);

LoaderWork work_of(const CellResult& cell, const DatasetInfo& info);

// The fewest trials whose spread says how many more are needed; with fewer, the advice is to measure these.
inline constexpr std::size_t kTellingTrials = 5;

// How many trials would detect a noticeable difference four times in five, judging by the spread of those measured:
// the rates of each of `sets`, or of all modes.
std::string more_trials(std::initializer_list<std::span<const double>> sets);
// If the run was stopped before it had all trials, these return how to get the others instead.
std::string more_trials(const Evidence& evidence, std::initializer_list<std::span<const double>> sets);
std::string more_trials_of_all(const Evidence& evidence);

}  // namespace loadline
