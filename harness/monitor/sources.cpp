#include "harness/monitor/sources.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <system_error>
#include <utility>

#include "harness/machine/cgroup.h"
#include "harness/machine/kernel_text.h"
#include "harness/monitor/kept_file.h"

namespace loadline {
namespace {

// The kernel has up to ten numbers per CPU, of up to twenty digits each.
constexpr std::size_t kCpuLineBytes = 256;
constexpr std::size_t kMostWatchedCpus = 4096;

double system_constant(int name, double standard) {
  const long value = ::sysconf(name);
  return value > 0 ? static_cast<double>(value) : standard;
}

std::shared_ptr<KeptFile> kept(const SystemFiles& files, const std::filesystem::path& path,
                               std::size_t most_bytes = 4096) {
  return std::make_shared<KeptFile>(files.under_root(path), most_bytes);
}

// A CPU's line in /proc/stat, in ticks; the kernel already counts guests in user and nice.
struct CpuKind {
  std::string_view name;
  std::array<std::size_t, 3> words;  // whose sum it is; 0: no further one
};
constexpr std::array kCpuKinds{
    CpuKind{"cpu user", {1, 2, 0}},
    CpuKind{"cpu system", {3, 6, 7}},
    CpuKind{"cpu iowait", {5, 0, 0}},
    CpuKind{"cpu steal", {8, 0, 0}},
};

// "cpu" (all CPUs) is 0, "cpu3" is 4; kMostWatchedCpus + 1: some other line.
std::size_t cpu_of(std::string_view line) {
  if (!line.starts_with("cpu")) return kMostWatchedCpus + 1;
  if (line.size() > 3 && line[3] == ' ') return 0;
  std::size_t cpu = 0;
  const auto [end, status] = std::from_chars(line.data() + 3, line.data() + line.size(), cpu);
  return status == std::errc{} && cpu < kMostWatchedCpus ? cpu + 1 : kMostWatchedCpus + 1;
}

MonitorSource cpu_times(const SystemFiles& files, const MonitorTargets& targets) {
  std::vector<std::size_t> cpus = targets.cpus;
  std::size_t there = 0;
  each_line(files.text("/proc/stat").value_or(""), [&](std::string_view line) {
    const std::size_t cpu = cpu_of(line);
    if (cpu == 0 || cpu > kMostWatchedCpus) return;
    ++there;
    if (targets.cpus.empty()) cpus.push_back(cpu - 1);
  });
  MonitorSource source;
  const double tick = 1 / system_constant(_SC_CLK_TCK, 100);
  auto place = std::make_shared<std::vector<std::size_t>>(kMostWatchedCpus + 1, kMostWatchedCpus);
  const auto add = [&](const std::string& of, std::size_t line, double scale) {
    (*place)[line] = source.numbers;
    for (const CpuKind& kind : kCpuKinds) {
      source.rows.push_back({.name = std::string(kind.name),
                             .of = of,
                             .unit = "share",
                             .source = "/proc/stat",
                             .shape = Shape::kRate,
                             .number = source.numbers++,
                             .scale = scale});
    }
  };
  add("all CPUs", 0, tick / static_cast<double>(std::max<std::size_t>(1, there)));
  for (const std::size_t cpu : cpus) {
    if (cpu < kMostWatchedCpus) add(fmt::format("cpu{}", cpu), cpu + 1, tick);
  }
  const auto file = kept(files, "/proc/stat", kCpuLineBytes * (there + 1));
  source.read = [file, place](std::span<double> numbers) {
    each_line(file->text(), [&](std::string_view line) {
      const std::size_t cpu = cpu_of(line);
      if (cpu > kMostWatchedCpus || (*place)[cpu] >= numbers.size()) return;
      std::array<double, 12> words{};
      if (numbers_of(line, words) < 9) return;
      for (std::size_t i = 0; i < kCpuKinds.size(); ++i) {
        double ticks = 0;
        for (const std::size_t word : kCpuKinds[i].words) ticks += word == 0 ? 0 : words[word];
        numbers[(*place)[cpu] + i] = ticks;
      }
    });
  };
  return source;
}

// A source of files with one number each.
class NumberFiles {
 public:
  explicit NumberFiles(const SystemFiles& files) : files_(files) {}

  void add(const std::filesystem::path& path, SeriesRow row) {
    if (!files_.exists(path)) return;
    opened_->push_back(KeptFile(files_.under_root(path), 64));
    row.number = source_.numbers++;
    source_.rows.push_back(std::move(row));
  }

  MonitorSource take() {
    source_.read = [opened = opened_](std::span<double> numbers) {
      for (std::size_t i = 0; i < opened->size(); ++i) numbers_of((*opened)[i].text(), numbers.subspan(i, 1));
    };
    return std::move(source_);
  }

 private:
  const SystemFiles& files_;
  std::shared_ptr<std::vector<KeptFile>> opened_ = std::make_shared<std::vector<KeptFile>>();
  MonitorSource source_;
};

MonitorSource cpu_frequencies(const SystemFiles& files, const MonitorTargets& targets) {
  // The kernel queries each CPU by an interrupt.
  constexpr std::size_t kMost = 64;
  NumberFiles source(files);
  const std::vector<std::size_t> cpus = targets.cpus.empty()
                                            ? parse_cpu_list(files.line("/sys/devices/system/cpu/online").value_or(""))
                                                  .value_or(std::vector<std::size_t>())
                                            : targets.cpus;
  for (std::size_t i = 0; i < std::min(kMost, cpus.size()); ++i) {
    source.add(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", cpus[i]),
               {.name = "cpu frequency",
                .of = fmt::format("cpu{}", cpus[i]),
                .unit = "Hz",
                .source = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq",
                .shape = Shape::kState,
                .scale = 1e3});
  }
  return source.take();
}

// A row of a file whose lines are a key, a separator and a number.
struct KeyedRow {
  std::string_view key;
  std::string_view name;
  std::string_view unit;
  Shape shape;
  double scale;
};

// The numbers of the lines that begin with a key; several rows with one name are summed into one series.
MonitorSource keyed_source(const SystemFiles& files, const std::string& path, const std::string& of,
                           const std::string& shown_path, std::span<const KeyedRow> rows, std::size_t most_bytes) {
  MonitorSource source;
  auto keys = std::make_shared<std::vector<std::pair<std::string, std::size_t>>>();
  for (const KeyedRow& row : rows) {
    const auto same = std::ranges::find(source.rows, row.name, &SeriesRow::name);
    if (same == source.rows.end()) {
      source.rows.push_back({.name = std::string(row.name),
                             .of = of,
                             .unit = std::string(row.unit),
                             .source = shown_path,
                             .shape = row.shape,
                             .number = source.numbers++,
                             .scale = row.scale});
      keys->emplace_back(row.key, source.numbers - 1);
    } else {
      keys->emplace_back(row.key, same->number);
    }
  }
  const auto file = kept(files, path, most_bytes);
  source.read = [file, keys](std::span<double> numbers) {
    each_line(file->text(), [&](std::string_view line) {
      const std::string_view key = line.substr(0, line.find_first_of(": "));
      for (const auto& [wanted, number] : *keys) {
        if (wanted != key) continue;
        std::array<double, 2> words{};
        if (numbers_of(line, words) < 2) return;
        numbers[number] = numbers[number] >= 0 ? numbers[number] + words[1] : words[1];
      }
    });
  };
  return source;
}

double page_bytes() {
  return system_constant(_SC_PAGESIZE, 4096);
}

MonitorSource pressure_of(const SystemFiles& files, const std::string& path, const std::string& shown_path,
                          std::string_view what, const std::string& of) {
  constexpr std::array<std::string_view, 2> kKinds{"some", "full"};
  MonitorSource source{.rows = {}, .numbers = kKinds.size(), .read = {}};
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    source.rows.push_back({.name = fmt::format("pressure {} {}", what, kKinds[i]),
                           .of = of,
                           .unit = "share",
                           .source = shown_path,
                           .shape = Shape::kRate,
                           .number = i,
                           .scale = 1e-6});
  }
  const auto file = kept(files, path, 512);
  source.read = [file, kKinds](std::span<double> numbers) {
    each_line(file->text(), [&](std::string_view line) {
      const std::size_t total = line.find("total=");
      if (total == std::string_view::npos) return;
      for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (line.starts_with(kKinds[i])) numbers_of(line.substr(total + 6), numbers.subspan(i, 1));
      }
    });
  };
  return source;
}

}  // namespace

MonitorTargets targets_of(std::vector<std::size_t> cpus, const std::vector<std::filesystem::path>& data) {
  MonitorTargets targets{.cpus = std::move(cpus), .data = {}};
  for (const auto& path : data) {
    std::error_code failed;
    const auto canonical = std::filesystem::canonical(path, failed);
    struct stat status {};
    if (failed || ::stat(canonical.c_str(), &status) != 0) continue;
    const DeviceNumber device{major(status.st_dev), minor(status.st_dev)};
    const auto known = std::ranges::find(targets.data, device, &MonitorTargets::Place::device);
    if (known == targets.data.end()) targets.data.push_back({canonical, device});
  }
  return targets;
}

std::size_t numbers_of(std::string_view line, std::span<double> words) {
  std::size_t count = 0;
  std::size_t at = 0;
  while (count < words.size()) {
    at = line.find_first_not_of(" \t\n", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\n", at), line.size());
    const char* const last = line.data() + end;
    std::uint64_t number = 0;
    const auto [stop, status] = std::from_chars(line.data() + at, last, number);
    words[count++] = status == std::errc{} && stop == last ? static_cast<double>(number) : kNotKnown;
    at = end;
  }
  return count;
}

std::vector<MonitorSource> cpu_sources(const SystemFiles& files, const MonitorTargets& targets) {
  std::vector<MonitorSource> sources;
  sources.push_back(cpu_times(files, targets));
  sources.push_back(cpu_frequencies(files, targets));
  return sources;
}

std::vector<MonitorSource> memory_sources(const SystemFiles& files) {
  const double page = page_bytes();
  constexpr std::array kMemory{
      KeyedRow{"MemAvailable", "memory available", "bytes", Shape::kState, 1024},
      KeyedRow{"MemFree", "memory free", "bytes", Shape::kState, 1024},
      KeyedRow{"Cached", "page cache", "bytes", Shape::kState, 1024},
      KeyedRow{"Dirty", "dirty", "bytes", Shape::kState, 1024},
      KeyedRow{"Writeback", "written back", "bytes", Shape::kState, 1024},
      KeyedRow{"SwapFree", "swap free", "bytes", Shape::kState, 1024},
  };
  const std::array paging{
      KeyedRow{"pswpin", "swapped in", "bytes/s", Shape::kRate, page},
      KeyedRow{"pswpout", "swapped out", "bytes/s", Shape::kRate, page},
      KeyedRow{"pgsteal_kswapd", "reclaimed", "bytes/s", Shape::kRate, page},
      KeyedRow{"pgsteal_direct", "reclaimed", "bytes/s", Shape::kRate, page},
      KeyedRow{"workingset_refault_file", "read again after reclaim", "bytes/s", Shape::kRate, page},
  };
  std::vector<MonitorSource> sources;
  sources.push_back(keyed_source(files, "/proc/meminfo", "memory", "/proc/meminfo", kMemory, 4096));
  sources.push_back(keyed_source(files, "/proc/vmstat", "memory", "/proc/vmstat", paging, 16384));
  return sources;
}

std::vector<MonitorSource> pressure_sources(const SystemFiles& files) {
  std::vector<MonitorSource> sources;
  for (const std::string_view what : {"cpu", "io", "memory"}) {
    const std::string path = fmt::format("/proc/pressure/{}", what);
    sources.push_back(pressure_of(files, path, path, what, "system"));
  }
  return sources;
}

std::vector<MonitorSource> cgroup_sources(const SystemFiles& files) {
  // In microseconds in version 2, in nanoseconds in version 1.
  constexpr std::array kVersion2{KeyedRow{"throttled_usec", "throttled", "s/s", Shape::kRate, 1e-6}};
  constexpr std::array kVersion1{KeyedRow{"throttled_time", "throttled", "s/s", Shape::kRate, 1e-9}};
  std::vector<MonitorSource> sources;
  for (const auto& path : cgroup_cpu_statistics(files)) {
    const std::string of = "cgroup " + path.parent_path().string();
    sources.push_back(keyed_source(files, path.string(), of, "cpu.stat", kVersion2, 2048));
    sources.push_back(keyed_source(files, path.string(), of, "cpu.stat", kVersion1, 2048));
  }
  for (const auto& directory : cgroup_directories(files)) {
    const std::string of = "cgroup " + directory.string();
    NumberFiles numbers(files);
    for (const char* const name : {"memory.current", "memory.usage_in_bytes"}) {
      numbers.add(directory / name,
                  {.name = "memory of the group", .of = of, .unit = "bytes", .source = name, .shape = Shape::kState});
    }
    sources.push_back(numbers.take());
    sources.push_back(pressure_of(files, (directory / "memory.pressure").string(), "memory.pressure", "memory", of));
  }
  return sources;
}

std::vector<MonitorSource> network_sources(const SystemFiles& files) {
  // Hardware interfaces, or all except the loopback if a container has none.
  constexpr std::size_t kMost = 16;
  std::vector<std::string> all = files.directories("/sys/class/net");
  std::ranges::sort(all);
  std::erase(all, "lo");
  std::vector<std::string> physical = all;
  std::erase_if(physical, [&](const std::string& name) { return !files.exists("/sys/class/net/" + name + "/device"); });
  const std::vector<std::string>& chosen = physical.empty() ? all : physical;
  NumberFiles ethernet(files);
  for (std::size_t i = 0; i < std::min(kMost, chosen.size()); ++i) {
    for (const auto& [file, name] : {std::pair("rx_bytes", "network received"), {"tx_bytes", "network sent"}}) {
      ethernet.add(fmt::format("/sys/class/net/{}/statistics/{}", chosen[i], file),
                   {.name = name,
                    .of = chosen[i],
                    .unit = "bytes/s",
                    .source = fmt::format("/sys/class/net/*/statistics/{}", file),
                    .shape = Shape::kRate});
    }
  }
  // Documentation/ABI/stable/sysfs-class-infiniband of Linux: octets divided by 4.
  NumberFiles infiniband(files);
  std::vector<std::string> adapters = files.directories("/sys/class/infiniband");
  std::ranges::sort(adapters);
  for (const std::string& adapter : adapters) {
    std::vector<std::string> ports = files.directories("/sys/class/infiniband/" + adapter + "/ports");
    std::ranges::sort(ports);
    for (const std::string& port : ports) {
      for (const auto& [file, name] :
           {std::pair("port_rcv_data", "infiniband received"), {"port_xmit_data", "infiniband sent"}}) {
        infiniband.add(fmt::format("/sys/class/infiniband/{}/ports/{}/counters/{}", adapter, port, file),
                       {.name = name,
                        .of = fmt::format("{} port {}", adapter, port),
                        .unit = "bytes/s",
                        .source = fmt::format("/sys/class/infiniband/*/ports/*/counters/{}", file),
                        .shape = Shape::kRate,
                        .scale = 4});
      }
    }
  }
  std::vector<MonitorSource> sources;
  sources.push_back(ethernet.take());
  sources.push_back(infiniband.take());
  return sources;
}

std::vector<MonitorSource> kernel_sources(const SystemFiles& files, const MonitorTargets& targets) {
  std::vector<MonitorSource> all;
  const auto add = [&](std::vector<MonitorSource> sources) {
    for (MonitorSource& source : sources) {
      if (source.numbers > 0) all.push_back(std::move(source));
    }
  };
  add(cpu_sources(files, targets));
  add(memory_sources(files));
  add(pressure_sources(files));
  add(cgroup_sources(files));
  add(storage_sources(files, targets));
  add(lustre_sources(files));
  add(network_sources(files));
  return all;
}

}  // namespace loadline
