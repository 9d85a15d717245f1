// The energy that CPUs, memory and GPUs have used, by their own counters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/machine/system_files.h"
#include "harness/monitor/gpu_library.h"
#include "harness/result/trial_readings.h"

namespace loadline {

// The counters of an EnergyMeter at one moment.
struct EnergyReading {
  std::vector<std::optional<std::uint64_t>> zones;  // microjoules
  std::vector<std::optional<double>> gpus;          // joules
};

// Any thread.
class EnergyMeter {
 public:
  // Reads the packages and memories in /sys/class/powercap (Documentation/power/powercap of Linux), which usually
  // only root may read, and all devices of the libraries.
  explicit EnergyMeter(const SystemFiles& files, GpuLibraries gpus = {});
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;
  ~EnergyMeter();

  // Whether any counter can be read.
  bool has_counters() const;
  // Takes some 10 µs per package and per GPU, so it must stay outside a trial's clock.
  EnergyReading now() const;
  // nullopt if nothing is known. Counts a kind of device only if all its devices report: a partial sum would be
  // mistaken for the whole.
  std::optional<EnergyUse> used(const EnergyReading& before, const EnergyReading& after) const;

 private:
  struct Zone;

  std::vector<Zone> zones_;
  GpuLibraries gpus_;
};

// The microjoules between two readings of a counter that wraps to 0 after `range`.
std::uint64_t microjoules_between(std::uint64_t before, std::uint64_t after, std::uint64_t range);

}  // namespace loadline
