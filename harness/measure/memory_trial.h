// How much memory a process is let take, where the limits of its control group cannot be read: a container may show it
// neither /sys nor /proc, and who goes beyond its limit is killed without a word.
#pragma once

#include <cstdint>

#include "harness/machine/machine.h"

namespace loadline {

// Where `machine` shows no limits, has a process of its own take so much, and somewhat more for the rest of the run,
// page by page; it is the first that the system ends. Notes in `machine` that it was let, or how much it was. Nothing
// where the limits are seen, where so much was tried before, or where no process can be had.
void try_memory(std::uint64_t bytes, Machine& machine);

}  // namespace loadline
