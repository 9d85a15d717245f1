#include "loaders/transforms/kernels_avx512.h"

#include "loaders/transforms/kernels_levels.h"
#include "loaders/transforms/kernels_resize_avx2.h"

namespace loadline {
namespace {

struct Avx512 : Avx512Steps<Avx512> {
  // What spreads a row's bytes over a wide register takes more than half of its width gives.
  using Resize = ResizeByShuffles<Avx512>;
};

}  // namespace

const Kernels kAvx512Kernels = kernels_of<Avx512>("avx512");

}  // namespace loadline
