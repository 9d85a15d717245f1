// Energy that CPUs, memory and GPUs have used, as their own counters tell it.
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

// The counters at one moment, as EnergyMeter has them.
struct EnergyReading {
  std::vector<std::optional<std::uint64_t>> zones;  // microjoules
  std::vector<std::optional<double>> gpus;          // joules
};

// Any thread.
class EnergyMeter {
 public:
  // The packages and memories of /sys/class/powercap (Documentation/power/powercap of Linux), which as a rule only root
  // may read, and all devices of the libraries.
  explicit EnergyMeter(const SystemFiles& files, GpuLibraries gpus = {});
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;
  ~EnergyMeter();

  // Whether there is any counter that can be read.
  bool has_counters() const;
  // Takes some 10 µs a package and a GPU: stands outside the clock of a trial.
  EnergyReading now() const;
  // Absent if nothing is known. All devices of a kind must report: a partial sum would be mistaken for the whole.
  std::optional<EnergyUse> used(const EnergyReading& before, const EnergyReading& after) const;

 private:
  struct Zone;

  std::vector<Zone> zones_;
  GpuLibraries gpus_;
};

// From one number of microjoules to the next, of a counter that begins again at 0 after `range`.
std::uint64_t microjoules_between(std::uint64_t before, std::uint64_t after, std::uint64_t range);

}  // namespace loadline
