// What the first epoch of a configuration cost. Pure functions, safe from any thread.
#pragma once

#include <optional>
#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// Of FULL, or of IO where there is no FULL: what a job would see that runs the cell anew. A loader in Python serves IO
// first, and what it keeps from that makes its FULL warm. nullopt without a first epoch or warm trials.
std::optional<StartUp> start_up_of(const Result& result, const Configuration& configuration);

// " Start-up dominates a short training: ...", from configuration.start_up; empty where it does not.
std::string start_up_sentence(const Configuration& configuration);

// " Loading alone was 2.1 times slower in the first epoch ...": about the first epoch of IO, where it is so much slower
// than warm ones that a short training would notice; otherwise empty.
std::string slow_first_epoch_sentence(const Result& result, const Configuration& configuration);

}  // namespace loadline
