// Libraries that tell what GPUs do: loaded while the program runs, where they are.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "harness/monitor/source.h"

namespace loadline {

// Any thread; the devices are those that there were when it was opened.
class GpuLibrary {
 public:
  virtual ~GpuLibrary() = default;

  virtual std::size_t devices() const = 0;
  // What each device tells of itself, for samples in this period. They share in the library.
  virtual std::vector<MonitorSource> sources(double period_seconds) const = 0;
  // What the device has used since a moment of its own; nullopt where it does not count that.
  virtual std::optional<double> joules(std::size_t device) const = 0;
};

using GpuLibraries = std::vector<std::shared_ptr<const GpuLibrary>>;

// NVIDIA's and AMD's; null where the library or its driver is not there, or has no device.
std::shared_ptr<const GpuLibrary> open_nvml(const char* file = "libnvidia-ml.so.1");
std::shared_ptr<const GpuLibrary> open_rocm_smi(const char* file);
std::shared_ptr<const GpuLibrary> open_rocm_smi();

// All that are there.
GpuLibraries gpu_libraries();

}  // namespace loadline
