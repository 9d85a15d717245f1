#include "harness/machine/usage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

#include "harness/machine/kernel_text.h"
#include "harness/machine/system_files.h"

namespace loadline {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::optional<std::uint64_t> rss_now(const SystemFiles& files) {
  const long page_size_bytes = ::sysconf(_SC_PAGESIZE);
  if (page_size_bytes <= 0) return std::nullopt;
  return parse_rss_bytes(files.text("/proc/self/statm").value_or(""), static_cast<std::uint64_t>(page_size_bytes));
}

}  // namespace

double thread_cpu_seconds() {
  timespec time{};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Usage usage_now() {
  const SystemFiles files;
  // RUSAGE_SELF with a valid address cannot fail.
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  // ru_maxrss survives exec: a small program started by a large shell or Python would report its parent's peak.
  const auto own_peak = parse_peak_rss_bytes(files.text("/proc/self/status").value_or(""));
  return {
      .user_cpu_seconds = seconds_of(used.ru_utime),
      .system_cpu_seconds = seconds_of(used.ru_stime),
      .minor_faults = static_cast<std::uint64_t>(used.ru_minflt),
      .major_faults = static_cast<std::uint64_t>(used.ru_majflt),
      .voluntary_switches = static_cast<std::uint64_t>(used.ru_nvcsw),
      .involuntary_switches = static_cast<std::uint64_t>(used.ru_nivcsw),
      .device_read_bytes = parse_device_read_bytes(files.text("/proc/self/io").value_or("")),
      .peak_rss_bytes = own_peak.value_or(static_cast<std::uint64_t>(used.ru_maxrss) * 1024),
      .rss_bytes = rss_now(files),
  };
}

bool reset_peak_rss() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5";  // only the peak: this touches no page
  file.close();
  return !file.fail();
}

Usage difference(const Usage& after, const Usage& before) {
  Usage used = after;
  used.user_cpu_seconds -= before.user_cpu_seconds;
  used.system_cpu_seconds -= before.system_cpu_seconds;
  used.minor_faults -= before.minor_faults;
  used.major_faults -= before.major_faults;
  used.voluntary_switches -= before.voluntary_switches;
  used.involuntary_switches -= before.involuntary_switches;
  if (after.device_read_bytes && before.device_read_bytes) {
    used.device_read_bytes = *after.device_read_bytes - *before.device_read_bytes;
  } else {
    used.device_read_bytes = std::nullopt;
  }
  return used;
}

std::optional<std::uint64_t> parse_device_read_bytes(std::string_view io) {
  return parse_whole(value_of(io, "read_bytes").value_or(""));
}

std::optional<std::uint64_t> parse_peak_rss_bytes(std::string_view status) {
  return parse_size_bytes(value_of(status, "VmHWM").value_or(""));
}

std::optional<std::uint64_t> parse_rss_bytes(std::string_view statm, std::uint64_t page_size_bytes) {
  const auto fields = split(trimmed(statm), ' ');
  const auto pages = fields.size() < 2 ? std::nullopt : parse_whole(fields[1]);
  return pages ? std::optional(*pages * page_size_bytes) : std::nullopt;
}

}  // namespace loadline
