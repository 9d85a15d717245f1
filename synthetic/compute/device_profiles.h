// Rates of accelerators that others have measured, for the emulated device.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace loadline {

struct DeviceProfile {
  std::string_view name;
  std::size_t batch_size;     // samples per timed step
  double samples_per_second;  // of one accelerator that already has its batch
  std::string_view source;
};

// MLPerf: rates of the benchmark's own emulated accelerators, `train.computation_time` seconds for
// `reader.batch_size` samples in storage-conf/workload/<model>_<accelerator>.yaml of github.com/mlcommons/storage,
// v1.0; some differ in its later versions. The results of round v1.0 (github.com/mlcommons/storage_results_v1.0) were
// run with these.
//
// SC22: the SYNTHETIC throughput of github.com/NERSC/sc22-dl-tutorial (README.md: Perlmutter, A100 of 40 GB;
// README_summit.md: Summit, V100 of 16 GB) with DALI, whose batch stays on the accelerator, so no copy is included.
// 64^3 crops of two volumes, as in the workload nbody.
inline constexpr std::array kDeviceProfiles{
    DeviceProfile{"mlperf-resnet50-a100", 400, 400 / 0.435, "MLPerf Storage v1.0: 400 samples in 0.435 s"},
    DeviceProfile{"mlperf-resnet50-h100", 400, 400 / 0.224, "MLPerf Storage v1.0: 400 samples in 0.224 s"},
    DeviceProfile{"mlperf-unet3d-a100", 7, 7 / 0.636, "MLPerf Storage v1.0: 7 samples in 0.636 s"},
    DeviceProfile{"mlperf-unet3d-h100", 7, 7 / 0.323, "MLPerf Storage v1.0: 7 samples in 0.323 s"},
    DeviceProfile{"mlperf-cosmoflow-a100", 1, 1 / 0.00551, "MLPerf Storage v1.0: 1 sample in 0.00551 s"},
    DeviceProfile{"mlperf-cosmoflow-h100", 1, 1 / 0.0035, "MLPerf Storage v1.0: 1 sample in 0.0035 s"},
    DeviceProfile{"sc22-unet-a100", 64, 592.984, "SC22 tutorial, SYNTHETIC on Perlmutter, TF32"},
    DeviceProfile{"sc22-unet-a100-fp16", 64, 893.160, "SC22 tutorial, the same with FP16, APEX and JIT"},
    DeviceProfile{"sc22-unet-v100", 32, 102.855, "SC22 tutorial, SYNTHETIC on Summit, FP32"},
    DeviceProfile{"sc22-unet-v100-fp16", 32, 294.373, "SC22 tutorial, the same with FP16, APEX and JIT"},
};

// The words of the option: `none`, then the profiles in order.
inline constexpr auto kDeviceProfileWords = [] {
  std::array<std::string_view, kDeviceProfiles.size() + 1> words{"none"};
  for (std::size_t i = 0; i < kDeviceProfiles.size(); ++i) words[i + 1] = kDeviceProfiles[i].name;
  return words;
}();

}  // namespace loadline
