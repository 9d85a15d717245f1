// The sink of IO and OVERHEAD trials.
#pragma once

#include <memory>
#include <span>

#include "synthetic/compute/compute.h"

namespace loadline {

// Reads one byte of every 64-byte line of the batch, then drops it: bytes that nobody has read, in a mapping for
// instance, have not been loaded.
std::unique_ptr<Sink> make_drain(std::span<const double> values, const ComputeContext& context);

// The reading alone; the sum is returned so that no compiler leaves it out.
unsigned touch_lines(std::span<const std::byte> bytes);

}  // namespace loadline
