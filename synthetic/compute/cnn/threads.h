// The threads of OpenMP that a training step computes with.
#pragma once

#include <span>
#include <string_view>

#include "synthetic/compute/compute.h"

namespace loadline {

// Starts as many as the setting says, the caller's among them, and puts each on a CPU of its own where there are
// enough. `compute`: its name, for messages. Throws Error where one cannot be started.
void start_step_threads(std::string_view compute, const StepSetting& setting);

// Where the caller's own thread belongs; empty: wherever it is.
std::span<const std::size_t> first_step_cpu(const StepSetting& setting);

}  // namespace loadline
