#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "harness/machine/kernel_text.h"
#include "harness/monitor/kept_file.h"
#include "harness/monitor/sources.h"

namespace loadline {
namespace {

// Documentation/admin-guide/iostats.rst of Linux: sectors are 512 bytes, whatever the device's own size is.
constexpr double kSectorBytes = 512;

// The numbers of a device that become series, by their position in its line of /proc/diskstats.
struct DeviceRow {
  std::string_view name;
  std::string_view unit;
  Shape shape;
  std::size_t word;
  double scale;
  std::size_t over = 0;  // word
};
constexpr std::array kDeviceRows{
    DeviceRow{"device read", "bytes/s", Shape::kRate, 5, kSectorBytes},
    DeviceRow{"device written", "bytes/s", Shape::kRate, 9, kSectorBytes},
    DeviceRow{"device reads", "1/s", Shape::kRate, 3, 1},
    DeviceRow{"device writes", "1/s", Shape::kRate, 7, 1},
    DeviceRow{"device read latency", "s", Shape::kQuotient, 6, 1e-3, 3},
    DeviceRow{"device write latency", "s", Shape::kQuotient, 10, 1e-3, 7},
    DeviceRow{"device requests in flight", "", Shape::kState, 11, 1},
    DeviceRow{"device busy", "share", Shape::kRate, 12, 1e-3},
};
constexpr std::size_t kDeviceWords = 14;
constexpr std::size_t kDeviceName = 2;

std::string_view word_of(std::string_view line, std::size_t index) {
  std::size_t at = 0;
  for (;; --index) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) return {};
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    if (index == 0) return line.substr(at, end - at);
    at = end;
  }
}

// The kernel's name of the device that holds a file system: by its number or, if the file system hides that, by what
// was mounted.
std::string device_name(const SystemFiles& files, const Mount& mount) {
  std::string name;
  const std::filesystem::path source = mount.source;
  each_line(files.text("/proc/diskstats").value_or(""), [&](std::string_view line) {
    std::array<double, 2> number{};
    if (!name.empty() || numbers_of(line, number) < 2) return;
    const std::string_view its_name = word_of(line, kDeviceName);
    const bool by_number = mount.device.major_number != 0 && number[0] == mount.device.major_number &&
                           number[1] == mount.device.minor_number;
    if (by_number || (source.parent_path() == "/dev" && source.filename() == its_name)) name = its_name;
  });
  return name;
}

MonitorSource device_source(const SystemFiles& files, const std::vector<std::string>& devices) {
  MonitorSource source;
  for (const std::string& device : devices) {
    for (const DeviceRow& row : kDeviceRows) {
      source.rows.push_back({.name = std::string(row.name),
                             .of = device,
                             .unit = std::string(row.unit),
                             .source = "/proc/diskstats",
                             .shape = row.shape,
                             .number = source.numbers + row.word,
                             .scale = row.scale,
                             .over = source.numbers + row.over});
    }
    source.numbers += kDeviceWords;
  }
  const auto file = std::make_shared<KeptFile>(files.under_root("/proc/diskstats"), std::size_t{1} << 18);
  source.read = [file, devices](std::span<double> numbers) {
    each_line(file->text(), [&](std::string_view line) {
      const std::string_view name = word_of(line, kDeviceName);
      for (std::size_t i = 0; i < devices.size(); ++i) {
        if (devices[i] == name) numbers_of(line, numbers.subspan(i * kDeviceWords, kDeviceWords));
      }
    });
  };
  return source;
}

// NFS counters of a mount, in the text that nfs-utils calls statvers=1.1: "bytes:" has what applications read and
// wrote, by calls and directly, and then what went to and from the server; an operation has requests, transmissions,
// timeouts, bytes sent and received, and milliseconds in the queue, on the way and in all.
MonitorSource nfs_source(const SystemFiles& files, const Mount& mount) {
  enum Number : std::size_t { kRead, kWritten, kReads, kReadMilliseconds, kWrites, kWriteMilliseconds, kNumbers };
  const std::string of = mount.mount_point.string();
  MonitorSource source{.rows = {}, .numbers = kNumbers, .read = {}};
  const auto add = [&](const char* name, const char* unit, Shape shape, Number number, double scale = 1,
                       Number over = kRead) {
    source.rows.push_back({.name = name,
                           .of = of,
                           .unit = unit,
                           .source = "/proc/self/mountstats",
                           .shape = shape,
                           .number = number,
                           .scale = scale,
                           .over = over});
  };
  add("file system read", "bytes/s", Shape::kRate, kRead);
  add("file system written", "bytes/s", Shape::kRate, kWritten);
  add("file system reads", "1/s", Shape::kRate, kReads);
  add("file system writes", "1/s", Shape::kRate, kWrites);
  add("file system read latency", "s", Shape::kQuotient, kReadMilliseconds, 1e-3, kReads);
  add("file system write latency", "s", Shape::kQuotient, kWriteMilliseconds, 1e-3, kWrites);
  const auto file = std::make_shared<KeptFile>(files.under_root("/proc/self/mountstats"), std::size_t{1} << 18);
  source.read = [file, mark = fmt::format(" mounted on {} with fstype nfs", of)](std::span<double> numbers) {
    bool inside = false;
    each_line(file->text(), [&](std::string_view line) {
      if (line.starts_with("device ")) inside = line.find(mark) != std::string_view::npos;
      if (!inside) return;
      std::array<double, 9> words{};
      const std::string_view key = word_of(line, 0);
      if (key != "bytes:" && key != "READ:" && key != "WRITE:") return;
      if (numbers_of(line, words) < words.size()) return;
      if (key == "bytes:") {
        numbers[kRead] = words[5];
        numbers[kWritten] = words[6];
      } else {
        const bool read = key == "READ:";
        numbers[read ? kReads : kWrites] = words[1];
        numbers[read ? kReadMilliseconds : kWriteMilliseconds] = words[8];
      }
    });
  };
  return source;
}

// Lustre Software Release 2.x Operations Manual, llite statistics: "read_bytes  COUNT samples [bytes] MIN MAX SUM ...";
// since 2.13 "read" counts the same in microseconds.
MonitorSource llite_source(const SystemFiles& files, const std::string& directory, const std::string& name) {
  enum Number : std::size_t { kRead, kReads, kWritten, kWrites, kTimedReads, kReadMicroseconds, kNumbers };
  MonitorSource source{.rows = {}, .numbers = kNumbers, .read = {}};
  const auto add = [&](const char* what, const char* unit, Shape shape, Number number, double scale = 1,
                       Number over = kRead) {
    source.rows.push_back({.name = what,
                           .of = name,
                           .unit = unit,
                           .source = directory + "/*/stats",
                           .shape = shape,
                           .number = number,
                           .scale = scale,
                           .over = over});
  };
  add("lustre read", "bytes/s", Shape::kRate, kRead);
  add("lustre written", "bytes/s", Shape::kRate, kWritten);
  add("lustre reads", "1/s", Shape::kRate, kReads);
  add("lustre writes", "1/s", Shape::kRate, kWrites);
  add("lustre read latency", "s", Shape::kQuotient, kReadMicroseconds, 1e-6, kTimedReads);
  const auto file =
      std::make_shared<KeptFile>(files.under_root(fmt::format("{}/{}/stats", directory, name)), std::size_t{1} << 14);
  source.read = [file](std::span<double> numbers) {
    const std::string_view text = file->text();
    // A client has no such line before the first read.
    if (!text.empty()) std::ranges::fill(numbers.first(kTimedReads), 0.0);
    each_line(text, [&](std::string_view line) {
      std::array<double, 7> words{};
      const std::string_view key = word_of(line, 0);
      if (numbers_of(line, words) < words.size()) return;
      if (key == "read_bytes" || key == "write_bytes") {
        const bool read = key == "read_bytes";
        numbers[read ? kReads : kWrites] = words[1];
        numbers[read ? kRead : kWritten] = words[6];
      } else if (key == "read" && word_of(line, 3) == "[usec]") {
        numbers[kTimedReads] = words[1];
        numbers[kReadMicroseconds] = words[6];
      }
    });
  };
  return source;
}

// What the process itself reads and writes: its share of the devices' work.
MonitorSource process_source(const SystemFiles& files) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kKeys{
      {{"read_bytes:", "read from storage"}, {"write_bytes:", "written to storage"}}};
  MonitorSource source{.rows = {}, .numbers = kKeys.size(), .read = {}};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    source.rows.push_back({.name = std::string(kKeys[i].second),
                           .of = "this process",
                           .unit = "bytes/s",
                           .source = "/proc/self/io",
                           .shape = Shape::kRate,
                           .number = i});
  }
  const auto file = std::make_shared<KeptFile>(files.under_root("/proc/self/io"), 512);
  source.read = [file, kKeys](std::span<double> numbers) {
    each_line(file->text(), [&](std::string_view line) {
      std::array<double, 2> words{};
      if (numbers_of(line, words) < 2) return;
      for (std::size_t i = 0; i < kKeys.size(); ++i) {
        if (line.starts_with(kKeys[i].first)) numbers[i] = words[1];
      }
    });
  };
  return source;
}

}  // namespace

std::vector<MonitorSource> storage_sources(const SystemFiles& files, const MonitorTargets& targets) {
  std::vector<MonitorSource> sources;
  std::vector<std::string> devices;
  const std::vector<Mount> mounts = parse_mountinfo(files.text("/proc/self/mountinfo").value_or(""));
  for (const MonitorTargets::Place& place : targets.data) {
    const auto mount = mount_of(mounts, place.path, place.device);
    if (!mount) continue;
    const std::string device = device_name(files, *mount);
    if (!device.empty() && std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
    if (mount->file_system.starts_with("nfs")) sources.push_back(nfs_source(files, *mount));
  }
  if (!devices.empty()) sources.push_back(device_source(files, devices));
  sources.push_back(process_source(files));
  return sources;
}

std::vector<MonitorSource> lustre_sources(const SystemFiles& files) {
  std::vector<MonitorSource> sources;
  // Their place has changed between versions of Lustre.
  for (const char* const directory :
       {"/proc/fs/lustre/llite", "/sys/kernel/debug/lustre/llite", "/sys/fs/lustre/llite"}) {
    std::vector<std::string> names = files.directories(directory);
    std::ranges::sort(names);
    for (const std::string& name : names) {
      if (files.exists(std::filesystem::path(directory) / name / "stats")) {
        sources.push_back(llite_source(files, directory, name));
      }
    }
    if (!sources.empty()) break;
  }
  return sources;
}

}  // namespace loadline
