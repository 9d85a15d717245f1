// The parts of AMD's ROCm SMI that we use, with the binary interface of the "ROCm SMI LIB API reference". Not used:
// clocks, whose structure differs from version to version, and bytes over PCIe, because counting them takes a second.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "harness/monitor/gpu_library.h"
#include "harness/monitor/shared_library.h"

namespace loadline {
namespace {

constexpr int kRocmSuccess = 0;
constexpr int kRocmVram = 0;                   // RSMI_MEM_TYPE_VRAM
constexpr std::uint32_t kRocmTemperature = 0;  // RSMI_TEMP_TYPE_EDGE
constexpr int kRocmCurrent = 0;                // RSMI_TEMP_CURRENT

struct RocmFunctions {
  explicit RocmFunctions(const SharedLibrary& library)
      : init(library.function<int(std::uint64_t)>("rsmi_init")),
        shutdown(library.function<int()>("rsmi_shut_down")),
        count(library.function<int(std::uint32_t*)>("rsmi_num_monitor_devices")),
        busy(library.function<int(std::uint32_t, std::uint32_t*)>("rsmi_dev_busy_percent_get")),
        memory(library.function<int(std::uint32_t, int, std::uint64_t*)>("rsmi_dev_memory_usage_get")),
        socket_power(library.function<int(std::uint32_t, std::uint64_t*)>("rsmi_dev_current_socket_power_get")),
        power(library.function<int(std::uint32_t, std::uint32_t, std::uint64_t*)>("rsmi_dev_power_ave_get")),
        temperature(
            library.function<int(std::uint32_t, std::uint32_t, int, std::int64_t*)>("rsmi_dev_temp_metric_get")),
        energy(
            library.function<int(std::uint32_t, std::uint64_t*, float*, std::uint64_t*)>("rsmi_dev_energy_count_get")) {
  }

  int (*init)(std::uint64_t);
  int (*shutdown)();
  int (*count)(std::uint32_t*);
  int (*busy)(std::uint32_t, std::uint32_t*);
  int (*memory)(std::uint32_t, int, std::uint64_t*);
  int (*socket_power)(std::uint32_t, std::uint64_t*);
  int (*power)(std::uint32_t, std::uint32_t, std::uint64_t*);
  int (*temperature)(std::uint32_t, std::uint32_t, int, std::int64_t*);
  int (*energy)(std::uint32_t, std::uint64_t*, float*, std::uint64_t*);
};

enum RocmNumber : std::size_t { kRocmBusy, kRocmMemoryUsed, kRocmPower, kRocmDegrees, kRocmNumbers };

class RocmLibrary final : public GpuLibrary, public std::enable_shared_from_this<RocmLibrary> {
 public:
  explicit RocmLibrary(const char* file) : library_(file), call_(library_) {
    if (call_.init == nullptr || call_.shutdown == nullptr || call_.count == nullptr) return;
    if (call_.init(0) != kRocmSuccess) return;
    initialised_ = true;
    if (call_.count(&devices_) != kRocmSuccess) devices_ = 0;
  }
  RocmLibrary(const RocmLibrary&) = delete;
  RocmLibrary& operator=(const RocmLibrary&) = delete;
  ~RocmLibrary() override {
    if (initialised_) call_.shutdown();
  }

  std::size_t devices() const override { return devices_; }

  std::vector<MonitorSource> sources(double /*period_seconds*/) const override {
    std::vector<MonitorSource> sources;
    for (std::uint32_t device = 0; device < devices_; ++device) {
      sources.push_back(
          {.rows = rows(device),
           .numbers = kRocmNumbers,
           .read = [self = shared_from_this(), device](std::span<double> numbers) { self->read(device, numbers); }});
    }
    return sources;
  }

  std::optional<double> joules(std::size_t device) const override {
    std::uint64_t count = 0;
    float microjoules = 0;
    std::uint64_t when = 0;
    if (call_.energy == nullptr ||
        call_.energy(static_cast<std::uint32_t>(device), &count, &microjoules, &when) != kRocmSuccess) {
      return std::nullopt;
    }
    return static_cast<double>(count) * static_cast<double>(microjoules) * 1e-6;
  }

 private:
  static std::vector<SeriesRow> rows(std::uint32_t device) {
    std::vector<SeriesRow> rows;
    const auto add = [&](const char* name, const char* unit, RocmNumber number, double scale) {
      rows.push_back({.name = name,
                      .of = fmt::format("gpu{}", device),
                      .unit = unit,
                      .source = "ROCm SMI",
                      .shape = Shape::kState,
                      .number = number,
                      .scale = scale});
    };
    add("gpu busy", "share", kRocmBusy, 0.01);
    add("gpu memory used", "bytes", kRocmMemoryUsed, 1);
    add("gpu power", "W", kRocmPower, 1e-6);
    add("gpu temperature", "degrees C", kRocmDegrees, 1e-3);
    return rows;
  }

  void read(std::uint32_t device, std::span<double> numbers) const {
    std::uint32_t percent = 0;
    if (call_.busy != nullptr && call_.busy(device, &percent) == kRocmSuccess) numbers[kRocmBusy] = percent;
    std::uint64_t value = 0;
    if (call_.memory != nullptr && call_.memory(device, kRocmVram, &value) == kRocmSuccess) {
      numbers[kRocmMemoryUsed] = static_cast<double>(value);
    }
    // Newer GPUs have only the first, older ones only the second.
    if ((call_.socket_power != nullptr && call_.socket_power(device, &value) == kRocmSuccess) ||
        (call_.power != nullptr && call_.power(device, 0, &value) == kRocmSuccess)) {
      numbers[kRocmPower] = static_cast<double>(value);
    }
    std::int64_t thousandths = 0;
    if (call_.temperature != nullptr &&
        call_.temperature(device, kRocmTemperature, kRocmCurrent, &thousandths) == kRocmSuccess) {
      numbers[kRocmDegrees] = static_cast<double>(thousandths);
    }
  }

  SharedLibrary library_;
  RocmFunctions call_;
  bool initialised_ = false;
  std::uint32_t devices_ = 0;
};

}  // namespace

std::shared_ptr<const GpuLibrary> open_rocm_smi(const char* file) {
  auto library = std::make_shared<const RocmLibrary>(file);
  return library->devices() > 0 ? library : nullptr;
}

std::shared_ptr<const GpuLibrary> open_rocm_smi() {
  // The first name is that of the development files, the others those of the runtime.
  for (const char* const file :
       {"librocm_smi64.so", "librocm_smi64.so.7", "librocm_smi64.so.6", "librocm_smi64.so.5"}) {
    if (auto library = open_rocm_smi(file)) return library;
  }
  return nullptr;
}

GpuLibraries gpu_libraries() {
  GpuLibraries libraries;
  for (auto library : {open_nvml(), open_rocm_smi()}) {
    if (library) libraries.push_back(std::move(library));
  }
  return libraries;
}

}  // namespace loadline
