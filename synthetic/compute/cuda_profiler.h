// Ranges for NVIDIA's profilers, by NVTX.
#pragma once

#include "loaders/worker_clock.h"

namespace loadline {

// Hooks that name what the calling thread does; empty if this build has no NVTX. Without an attached profiler they
// cost some nanoseconds.
ProfilerHooks profiler_hooks();

}  // namespace loadline
