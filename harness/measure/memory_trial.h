// How much memory a process can take if the limits of its control group are not readable. A container may show
// neither /sys nor /proc, and a process beyond its limit is killed without a message.
#pragma once

#include <cstdint>

#include "harness/machine/machine.h"

namespace loadline {

// If `machine` shows no limits, starts a child process that takes `bytes`, and a little more for the rest of the run,
// page by page; the system would kill this child first. Records in `machine` that the child got it, or how much it
// got. Does nothing if the limits are visible, if as much was tried before, if the system has less available, or if
// no process can be started.
void try_memory(std::uint64_t bytes, Machine& machine);

}  // namespace loadline
