// What all threads of this process together have used of the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace loadline {

struct Usage {
  double user_cpu_seconds = 0;
  double system_cpu_seconds = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;  // faults that waited for storage
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  // Each of these four is nullopt if the system does not report it.
  std::optional<double> run_delay_seconds;         // threads were runnable but had no CPU, summed over all threads
  std::optional<double> blocked_io_seconds;        // threads were blocked on storage, summed over all threads
  std::optional<double> idle_seconds;              // the CPUs in force had nothing to run, summed over them
  std::optional<double> steal_seconds;             // a hypervisor ran other work on the CPUs in force, summed over them
  std::optional<double> throttled_seconds;         // the CPU quota of the cgroup held the process back
  std::optional<std::uint64_t> device_read_bytes;  // nullopt if the system does not report it
  std::optional<std::uint64_t> peak_rss_bytes;     // since the process started, or since its last reset_peak_rss()
  std::optional<std::uint64_t> rss_bytes;          // at this moment
};

// Usage since the process started. Safe to call concurrently. Takes tens of microseconds and may allocate, so it must
// stay outside a trial's clock. Leaves the delays absent; meter.h fills them in.
Usage usage_now();

// CPU time, in seconds, that the calling thread has used since it started; 0 where the system does not report it.
double thread_cpu_seconds();

// From now on peak_rss_bytes is the peak since this call. Returns whether the system allows that; if not, the peak
// stays that since the process started.
bool reset_peak_rss();

// What was used from `before` to `after`. The two memory figures are states, not amounts: they are those of `after`.
Usage difference(const Usage& after, const Usage& before);

// read_bytes in the text of /proc/self/io.
std::optional<std::uint64_t> parse_device_read_bytes(std::string_view io);
// VmHWM in the text of /proc/self/status.
std::optional<std::uint64_t> parse_peak_rss_bytes(std::string_view status);
// Resident memory from the second field, in pages, of the text of /proc/self/statm.
std::optional<std::uint64_t> parse_rss_bytes(std::string_view statm, std::uint64_t page_size_bytes);

}  // namespace loadline
