#include "loaders/transforms/kernels.h"

#include <vector>

#include "loaders/names.h"
#include "loaders/transforms/kernels_levels.h"

namespace loadline {
namespace {

std::vector<const Kernels*> find_supported() {
  std::vector<const Kernels*> found{&kScalarKernels};
#ifdef LOADLINE_HAVE_X86_KERNELS
  // The builtins also ask the operating system: if it does not save a CPU's wide registers, they count as missing.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  if (avx2) found.push_back(&kAvx2Kernels);
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  if (avx512) found.push_back(&kAvx512Kernels);
  if (avx512 && __builtin_cpu_supports("avx512vbmi")) found.push_back(&kAvx512VbmiKernels);
#endif
  return found;
}

}  // namespace

std::span<const Kernels* const> supported_kernels() {
  static const std::vector<const Kernels*> kSupported = find_supported();
  return kSupported;
}

const Kernels& kernels_named(std::string_view name) {
  if (name == "auto") return *supported_kernels().back();
  std::vector<std::string_view> names{"auto"};
  for (const Kernels* kernels : supported_kernels()) {
    if (kernels->name == name) return *kernels;
    names.push_back(kernels->name);
  }
  throw unknown_name("kernels of this program on this CPU", name, names);
}

}  // namespace loadline
