// The OpenMP threads of a training step.
#pragma once

#include <span>
#include <string_view>

#include "synthetic/compute/compute.h"

namespace loadline {

// Starts the setting's number of threads, including the caller's, and puts each on its own CPU if there are enough.
// `compute`: its name, for messages. Throws Error if a thread cannot be started.
void start_step_threads(std::string_view compute, const StepSetting& setting);

// The CPU for the caller's own thread; empty: wherever it is.
std::span<const std::size_t> first_step_cpu(const StepSetting& setting);

}  // namespace loadline
