// What this process, all threads together, has used of the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace loadline {

struct Usage {
  double user_cpu_seconds = 0;
  double system_cpu_seconds = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;  // those that had to wait for storage
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  // Each of these four is absent where the system does not tell.
  std::optional<double> run_delay_seconds;   // threads were runnable and had no CPU, summed over all of them
  std::optional<double> blocked_io_seconds;  // threads were blocked on storage, summed over all of them
  std::optional<double> steal_seconds;       // a hypervisor ran something else on the CPUs in force, summed over them
  std::optional<double> throttled_seconds;   // the CPU quota of the cgroup held the process back
  std::optional<std::uint64_t> device_read_bytes;  // nullopt where the system does not tell
  std::optional<std::uint64_t> peak_rss_bytes;     // since the process started, or since its last reset_peak_rss()
  std::optional<std::uint64_t> rss_bytes;          // at this moment
};

// Since the process started. Safe to call concurrently. Takes tens of microseconds and may allocate: stands outside
// the clock of a trial. Leaves the delays absent, which are the affair of meter.h.
Usage usage_now();

// From now on peak_rss_bytes is the most that the process has had since this moment. Returns whether the system allows
// that; where it does not, the peak stays that of the process.
bool reset_peak_rss();

// What was used from `before` to `after`. The two memory figures are states, not amounts: they stay those of `after`.
Usage difference(const Usage& after, const Usage& before);

// read_bytes of the text of /proc/self/io.
std::optional<std::uint64_t> parse_device_read_bytes(std::string_view io);
// VmHWM of the text of /proc/self/status.
std::optional<std::uint64_t> parse_peak_rss_bytes(std::string_view status);
// Resident pages, the second field of the text of /proc/self/statm.
std::optional<std::uint64_t> parse_rss_bytes(std::string_view statm, std::uint64_t page_size_bytes);

}  // namespace loadline
