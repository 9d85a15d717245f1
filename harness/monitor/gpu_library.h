// Libraries that report what GPUs do, loaded at run time if present.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "harness/monitor/source.h"

namespace loadline {

// Any thread. The devices are those found when the library was opened.
class GpuLibrary {
 public:
  virtual ~GpuLibrary() = default;

  virtual std::size_t devices() const = 0;
  // A source for each device, sampled with this period. They share ownership of the library.
  virtual std::vector<MonitorSource> sources(double period_seconds) const = 0;
  // The energy that the device has used since an arbitrary moment; nullopt if it does not count energy.
  virtual std::optional<double> joules(std::size_t device) const = 0;
};

using GpuLibraries = std::vector<std::shared_ptr<const GpuLibrary>>;

// NVIDIA's and AMD's; null if the library or its driver is missing, or it has no device.
std::shared_ptr<const GpuLibrary> open_nvml(const char* file = "libnvidia-ml.so.1");
std::shared_ptr<const GpuLibrary> open_rocm_smi(const char* file);
std::shared_ptr<const GpuLibrary> open_rocm_smi();

// All libraries that can be opened.
GpuLibraries gpu_libraries();

}  // namespace loadline
