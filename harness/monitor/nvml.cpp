// The parts of NVIDIA's management library that we use, with the binary interface of its "NVML API Reference Guide":
// the program is built without its header, and runs without the library.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "harness/monitor/gpu_library.h"
#include "harness/monitor/shared_library.h"

namespace loadline {
namespace {

extern "C" {

using NvmlDevice = struct NvmlDeviceOpaque*;

struct NvmlUtilization {  // nvmlUtilization_t, in percent
  unsigned gpu;
  unsigned memory;
};

struct NvmlMemory {  // nvmlMemory_t, in bytes
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct NvmlFieldValue {  // nvmlFieldValue_t
  unsigned field;
  unsigned scope;
  long long timestamp_microseconds;
  long long latency_microseconds;
  int value_type;  // nvmlValueType_t
  int status;
  union {
    double as_double;
    unsigned long long as_whole;
  } value;
};
}

static_assert(sizeof(NvmlFieldValue) == 40);

constexpr int kNvmlSuccess = 0;
constexpr int kNvmlUnsignedLongLong = 3;  // NVML_VALUE_TYPE_UNSIGNED_LONG_LONG
constexpr int kNvmlUnsignedLong = 2;
constexpr int kNvmlTemperatureGpu = 0;
constexpr int kNvmlClockSm = 1;
constexpr int kNvmlClockMemory = 2;
constexpr unsigned kNvmlPcieSent = 197;      // NVML_FI_DEV_PCIE_COUNT_TX_BYTES
constexpr unsigned kNvmlPcieReceived = 198;  // NVML_FI_DEV_PCIE_COUNT_RX_BYTES
constexpr int kNvmlThroughputSent = 0;       // NVML_PCIE_UTIL_TX_BYTES
constexpr int kNvmlThroughputReceived = 1;

// Bits of nvmlClocksEventReasons, which were nvmlClocksThrottleReasons before.
constexpr unsigned long long kNvmlByPower = 0x04 | 0x80;  // software power cap, hardware power brake
constexpr unsigned long long kNvmlByHeat = 0x20 | 0x40;   // thermal slowdown by software, by hardware
constexpr unsigned long long kNvmlByHardware = 0x08;      // any hardware slowdown

struct NvmlFunctions {
  explicit NvmlFunctions(const SharedLibrary& library)
      : init(library.function<int()>("nvmlInit_v2")),
        shutdown(library.function<int()>("nvmlShutdown")),
        count(library.function<int(unsigned*)>("nvmlDeviceGetCount_v2")),
        handle(library.function<int(unsigned, NvmlDevice*)>("nvmlDeviceGetHandleByIndex_v2")),
        name(library.function<int(NvmlDevice, char*, unsigned)>("nvmlDeviceGetName")),
        utilization(library.function<int(NvmlDevice, NvmlUtilization*)>("nvmlDeviceGetUtilizationRates")),
        memory(library.function<int(NvmlDevice, NvmlMemory*)>("nvmlDeviceGetMemoryInfo")),
        power(library.function<int(NvmlDevice, unsigned*)>("nvmlDeviceGetPowerUsage")),
        clock(library.function<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetClockInfo")),
        temperature(library.function<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetTemperature")),
        pcie(library.function<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetPcieThroughput")),
        fields(library.function<int(NvmlDevice, int, NvmlFieldValue*)>("nvmlDeviceGetFieldValues")),
        reasons(library.function<int(NvmlDevice, unsigned long long*)>("nvmlDeviceGetCurrentClocksEventReasons")),
        energy(library.function<int(NvmlDevice, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption")) {
    if (reasons == nullptr) {
      reasons = library.function<int(NvmlDevice, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
    }
  }

  int (*init)();
  int (*shutdown)();
  int (*count)(unsigned*);
  int (*handle)(unsigned, NvmlDevice*);
  int (*name)(NvmlDevice, char*, unsigned);
  int (*utilization)(NvmlDevice, NvmlUtilization*);
  int (*memory)(NvmlDevice, NvmlMemory*);
  int (*power)(NvmlDevice, unsigned*);
  int (*clock)(NvmlDevice, int, unsigned*);
  int (*temperature)(NvmlDevice, int, unsigned*);
  int (*pcie)(NvmlDevice, int, unsigned*);
  int (*fields)(NvmlDevice, int, NvmlFieldValue*);
  int (*reasons)(NvmlDevice, unsigned long long*);
  int (*energy)(NvmlDevice, unsigned long long*);
};

// Sources of the bytes over PCIe: the counters came with driver 560 or so; the older call takes 20 ms per direction.
enum class PcieWay : std::uint8_t { kCounters, kOlderCall, kNot };
constexpr double kPcieCallSeconds = 0.02;
constexpr double kPcieMostOfPeriod = 0.5;

enum NvmlNumber : std::size_t {
  kNvmlBusy,
  kNvmlMemoryBusy,
  kNvmlMemoryUsed,
  kNvmlPower,
  kNvmlSmHertz,
  kNvmlMemoryHertz,
  kNvmlTemperature,
  kNvmlReceived,
  kNvmlSent,
  kNvmlHeldByPower,
  kNvmlHeldByHeat,
  kNvmlHeldByHardware,
  kNvmlNumbers,
};

class NvmlLibrary final : public GpuLibrary, public std::enable_shared_from_this<NvmlLibrary> {
 public:
  explicit NvmlLibrary(const char* file) : library_(file), call_(library_) {
    if (call_.init == nullptr || call_.shutdown == nullptr || call_.count == nullptr || call_.handle == nullptr) return;
    if (call_.init() != kNvmlSuccess) return;
    initialised_ = true;
    unsigned count = 0;
    if (call_.count(&count) != kNvmlSuccess) return;
    for (unsigned i = 0; i < count; ++i) {
      NvmlDevice device = nullptr;
      // A device that this process may not use, or that has fallen off its bus.
      if (call_.handle(i, &device) != kNvmlSuccess) continue;
      devices_.push_back(device);
      indices_.push_back(i);
    }
  }
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;
  ~NvmlLibrary() override {
    if (initialised_) call_.shutdown();
  }

  std::size_t devices() const override { return devices_.size(); }

  std::vector<MonitorSource> sources(double period_seconds) const override {
    std::vector<MonitorSource> sources;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const PcieWay pcie = pcie_way(devices_[i], period_seconds);
      sources.push_back({.rows = rows(i, pcie),
                         .numbers = kNvmlNumbers,
                         .read = [self = shared_from_this(), device = devices_[i], pcie](std::span<double> numbers) {
                           self->read(device, pcie, numbers);
                         }});
    }
    return sources;
  }

  std::optional<double> joules(std::size_t device) const override {
    unsigned long long millijoules = 0;
    if (call_.energy == nullptr || call_.energy(devices_[device], &millijoules) != kNvmlSuccess) return std::nullopt;
    return static_cast<double>(millijoules) * 1e-3;
  }

 private:
  PcieWay pcie_way(NvmlDevice device, double period_seconds) const {
    std::array<double, kNvmlNumbers> numbers{};
    numbers.fill(kNotKnown);
    read_counters(device, numbers);
    if (numbers[kNvmlReceived] >= 0 && numbers[kNvmlSent] >= 0) return PcieWay::kCounters;
    const double takes = 2 * kPcieCallSeconds * static_cast<double>(devices_.size());
    return call_.pcie != nullptr && takes <= kPcieMostOfPeriod * period_seconds ? PcieWay::kOlderCall : PcieWay::kNot;
  }

  std::vector<SeriesRow> rows(std::size_t index, PcieWay pcie) const {
    std::array<char, 96> name{};
    const bool named = call_.name != nullptr &&
                       call_.name(devices_[index], name.data(), static_cast<unsigned>(name.size() - 1)) == kNvmlSuccess;
    const std::string source = named ? fmt::format("NVML, {}", name.data()) : "NVML";
    std::vector<SeriesRow> rows;
    const auto add = [&](const char* what, const char* unit, NvmlNumber number, double scale = 1,
                         Shape shape = Shape::kState) {
      rows.push_back({.name = what,
                      .of = fmt::format("gpu{}", indices_[index]),
                      .unit = unit,
                      .source = source,
                      .shape = shape,
                      .number = number,
                      .scale = scale});
    };
    const Shape bytes = pcie == PcieWay::kCounters ? Shape::kRate : Shape::kState;
    add("gpu busy", "share", kNvmlBusy, 0.01);
    add("gpu memory busy", "share", kNvmlMemoryBusy, 0.01);
    add("gpu memory used", "bytes", kNvmlMemoryUsed);
    add("gpu power", "W", kNvmlPower, 1e-3);
    add("gpu clock", "Hz", kNvmlSmHertz, 1e6);
    add("gpu memory clock", "Hz", kNvmlMemoryHertz, 1e6);
    add("gpu temperature", "degrees C", kNvmlTemperature);
    add("gpu received", "bytes/s", kNvmlReceived, 1, bytes);
    add("gpu sent", "bytes/s", kNvmlSent, 1, bytes);
    add("gpu held back by power", "0 or 1", kNvmlHeldByPower);
    add("gpu held back by heat", "0 or 1", kNvmlHeldByHeat);
    add("gpu held back by hardware", "0 or 1", kNvmlHeldByHardware);
    return rows;
  }

  void read_counters(NvmlDevice device, std::span<double> numbers) const {
    if (call_.fields == nullptr) return;
    std::array<NvmlFieldValue, 2> values{};
    values[0].field = kNvmlPcieReceived;
    values[1].field = kNvmlPcieSent;
    if (call_.fields(device, static_cast<int>(values.size()), values.data()) != kNvmlSuccess) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      // A counter of 32 bits wraps several times a second.
      const bool wide = values[i].value_type == kNvmlUnsignedLongLong || values[i].value_type == kNvmlUnsignedLong;
      if (values[i].status != kNvmlSuccess || !wide) continue;
      numbers[i == 0 ? kNvmlReceived : kNvmlSent] = static_cast<double>(values[i].value.as_whole);
    }
  }

  void read_throughput(NvmlDevice device, int counter, double& number) const {
    unsigned kilobytes_per_second = 0;
    if (call_.pcie(device, counter, &kilobytes_per_second) == kNvmlSuccess) number = 1e3 * kilobytes_per_second;
  }

  void read(NvmlDevice device, PcieWay pcie, std::span<double> numbers) const {
    NvmlUtilization utilization{};
    if (call_.utilization != nullptr && call_.utilization(device, &utilization) == kNvmlSuccess) {
      numbers[kNvmlBusy] = utilization.gpu;
      numbers[kNvmlMemoryBusy] = utilization.memory;
    }
    NvmlMemory memory{};
    if (call_.memory != nullptr && call_.memory(device, &memory) == kNvmlSuccess) {
      numbers[kNvmlMemoryUsed] = static_cast<double>(memory.used);
    }
    unsigned value = 0;
    if (call_.power != nullptr && call_.power(device, &value) == kNvmlSuccess) numbers[kNvmlPower] = value;
    if (call_.clock != nullptr) {
      if (call_.clock(device, kNvmlClockSm, &value) == kNvmlSuccess) numbers[kNvmlSmHertz] = value;
      if (call_.clock(device, kNvmlClockMemory, &value) == kNvmlSuccess) numbers[kNvmlMemoryHertz] = value;
    }
    if (call_.temperature != nullptr && call_.temperature(device, kNvmlTemperatureGpu, &value) == kNvmlSuccess) {
      numbers[kNvmlTemperature] = value;
    }
    if (pcie == PcieWay::kCounters) read_counters(device, numbers);
    if (pcie == PcieWay::kOlderCall) {
      read_throughput(device, kNvmlThroughputReceived, numbers[kNvmlReceived]);
      read_throughput(device, kNvmlThroughputSent, numbers[kNvmlSent]);
    }
    unsigned long long reasons = 0;
    if (call_.reasons != nullptr && call_.reasons(device, &reasons) == kNvmlSuccess) {
      numbers[kNvmlHeldByPower] = (reasons & kNvmlByPower) != 0 ? 1 : 0;
      numbers[kNvmlHeldByHeat] = (reasons & kNvmlByHeat) != 0 ? 1 : 0;
      numbers[kNvmlHeldByHardware] = (reasons & kNvmlByHardware) != 0 ? 1 : 0;
    }
  }

  SharedLibrary library_;
  NvmlFunctions call_;
  bool initialised_ = false;
  std::vector<NvmlDevice> devices_;
  std::vector<unsigned> indices_;  // as nvidia-smi has them
};

}  // namespace

std::shared_ptr<const GpuLibrary> open_nvml(const char* file) {
  auto library = std::make_shared<const NvmlLibrary>(file);
  return library->devices() > 0 ? library : nullptr;
}

}  // namespace loadline
