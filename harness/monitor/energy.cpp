#include "harness/monitor/energy.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "harness/machine/kernel_text.h"

namespace loadline {

struct EnergyMeter::Zone {
  int descriptor = -1;
  std::uint64_t range = 0;  // microjoules
  bool is_memory = false;

  std::optional<std::uint64_t> microjoules() const {
    std::array<char, 32> text{};
    const ssize_t length = ::pread(descriptor, text.data(), text.size(), 0);
    return length > 0 ? parse_whole({text.data(), static_cast<std::size_t>(length)}) : std::nullopt;
  }
};

EnergyMeter::EnergyMeter(const SystemFiles& files, GpuLibraries gpus) : gpus_(std::move(gpus)) {
  const std::filesystem::path powercap = "/sys/class/powercap";
  std::vector<std::string> names = files.directories(powercap);
  std::ranges::sort(names);
  for (const std::string& name : names) {
    // intel-rapl-mmio repeats the same packages. AMD's zones have the same name.
    if (!name.starts_with("intel-rapl:")) continue;
    const std::string kind = files.line(powercap / name / "name").value_or("");
    const bool is_memory = kind == "dram";
    if (!is_memory && !kind.starts_with("package")) continue;
    const auto range = parse_whole(files.line(powercap / name / "max_energy_range_uj").value_or(""));
    const int descriptor =
        ::open(files.under_root(powercap / name / "energy_uj").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (range && descriptor >= 0) {
      zones_.push_back({.descriptor = descriptor, .range = *range, .is_memory = is_memory});
    } else if (descriptor >= 0) {
      ::close(descriptor);
    }
  }
}

EnergyMeter::~EnergyMeter() {
  for (const Zone& zone : zones_) ::close(zone.descriptor);
}

bool EnergyMeter::has_counters() const {
  const EnergyReading reading = now();
  const auto known = [](const auto& value) { return value.has_value(); };
  return std::ranges::any_of(reading.zones, known) || std::ranges::any_of(reading.gpus, known);
}

EnergyReading EnergyMeter::now() const {
  EnergyReading reading;
  for (const Zone& zone : zones_) reading.zones.push_back(zone.microjoules());
  for (const auto& library : gpus_) {
    for (std::size_t i = 0; i < library->devices(); ++i) reading.gpus.push_back(library->joules(i));
  }
  return reading;
}

std::optional<EnergyUse> EnergyMeter::used(const EnergyReading& before, const EnergyReading& after) const {
  EnergyUse use;
  const auto sum_of = [&](bool of_memory) {
    std::optional<double> sum;
    for (std::size_t i = 0; i < zones_.size(); ++i) {
      if (zones_[i].is_memory != of_memory) continue;
      if (!before.zones[i] || !after.zones[i]) return std::optional<double>();
      const std::uint64_t used = microjoules_between(*before.zones[i], *after.zones[i], zones_[i].range);
      sum = sum.value_or(0) + 1e-6 * static_cast<double>(used);
    }
    return sum;
  };
  use.cpu_joules = sum_of(false);
  use.memory_joules = sum_of(true);
  const bool all_known = !before.gpus.empty() && std::ranges::all_of(before.gpus, &std::optional<double>::has_value) &&
                         std::ranges::all_of(after.gpus, &std::optional<double>::has_value);
  if (all_known) {
    double sum = 0;
    for (std::size_t i = 0; i < before.gpus.size(); ++i) sum += std::max(0.0, *after.gpus[i] - *before.gpus[i]);
    use.gpu_joules = sum;
  }
  return use.joules() ? std::optional(use) : std::nullopt;
}

std::uint64_t microjoules_between(std::uint64_t before, std::uint64_t after, std::uint64_t range) {
  return after >= before ? after - before : after + (range - std::min(before, range));
}

}  // namespace loadline
