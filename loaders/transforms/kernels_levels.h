// The kernel sets that may be built in; kernels.cpp chooses among them.
#pragma once

#include "loaders/transforms/kernels.h"

namespace loadline {

extern const Kernels kScalarKernels;
extern const Kernels kAvx2Kernels;    // x86-64 builds only: needs AVX2 and BMI2
extern const Kernels kAvx512Kernels;  // x86-64 builds only: needs AVX-512 F, BW, VL and DQ

}  // namespace loadline
