// Ranges for profilers of NVIDIA, by NVTX.
#pragma once

#include "loaders/worker_clock.h"

namespace loadline {

// That name what a thread does, on the thread that calls them; empty where this build has no NVTX. Without a profiler
// that looks on they cost some nanoseconds.
ProfilerHooks profiler_hooks();

}  // namespace loadline
