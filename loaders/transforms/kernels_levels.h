// The kernel sets that may be built in; kernels.cpp chooses among them.
#pragma once

#include "loaders/transforms/kernels.h"

namespace loadline {

extern const Kernels kScalarKernels;

// x86-64 builds only.
extern const Kernels kAvx2Kernels;        // needs AVX2 and BMI2
extern const Kernels kAvx512Kernels;      // also needs AVX-512 F, BW, VL and DQ
extern const Kernels kAvx512VbmiKernels;  // also needs AVX-512 VBMI: Ice Lake, Zen 4 and later

}  // namespace loadline
