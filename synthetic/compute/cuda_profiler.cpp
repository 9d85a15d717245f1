#include "synthetic/compute/cuda_profiler.h"

#ifdef LOADLINE_HAVE_CUDA
#include <nvtx3/nvToolsExt.h>
#endif

namespace loadline {

ProfilerHooks profiler_hooks() {
#ifdef LOADLINE_HAVE_CUDA
  return {.begin = [](const char* name) { nvtxRangePushA(name); }, .end = [] { nvtxRangePop(); }};
#else
  return {};
#endif
}

}  // namespace loadline
