// The sink of IO and OVERHEAD trials.
#pragma once

#include <memory>
#include <span>

#include "synthetic/compute/compute.h"

namespace loadline {

// Reads one byte of every 64-byte line of the batch, then drops it: bytes that nobody reads, in a mapping for
// instance, would never be loaded.
std::unique_ptr<Sink> make_drain(std::span<const double> values, const ComputeContext& context);

// Only reads; returns the sum so that the compiler cannot drop the reads.
unsigned touch_lines(std::span<const std::byte> bytes);

}  // namespace loadline
