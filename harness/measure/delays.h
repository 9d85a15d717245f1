// What keeps threads with work from running: no free CPU, storage, a hypervisor, a quota. Read from the kernel's own
// counters; text that does not parse gives nullopt, never 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/machine/system_files.h"

namespace loadline {

// Of one thread since it started.
struct ThreadDelays {
  double run_delay_seconds = 0;              // runnable, and had no CPU
  std::optional<double> blocked_io_seconds;  // blocked on storage
};

// Everything that the system reports at one moment.
struct Delays {
  std::optional<std::map<std::uint64_t, ThreadDelays>> threads;  // by thread id
  std::optional<double> idle_seconds;                            // of the CPUs in force, since the system started
  std::optional<double> steal_seconds;                           // likewise
  std::optional<double> throttled_seconds;                       // of the process's cgroups, since they were created
};

// Amounts from one moment to another.
struct DelaysBetween {
  std::optional<double> run_delay_seconds;
  std::optional<double> blocked_io_seconds;
  std::optional<double> idle_seconds;
  std::optional<double> steal_seconds;
  std::optional<double> throttled_seconds;
};

// Sums over the threads of `after`, by id. A thread that started in between counts in full; one that ended in between
// is left out, because its last counters are not known. An id whose counters went backwards belongs to a new thread.
DelaysBetween difference(const Delays& after, const Delays& before);

// Finds the system's delay counters and reads them. Safe to call concurrently.
class DelayMeter {
 public:
  // Looks for the files. `cpus`: the CPUs in force; empty: all CPUs of the system.
  explicit DelayMeter(std::vector<std::size_t> cpus, SystemFiles files = SystemFiles());

  // Takes some 10 µs per thread and allocates, so it must stay outside a trial's clock.
  Delays now() const;

 private:
  SystemFiles files_;
  std::vector<std::size_t> cpus_;
  bool counts_blocked_io_;
  std::vector<std::filesystem::path> cgroup_statistics_;
};

// The second number in the text of /proc/PID/task/TID/schedstat, which is in nanoseconds.
std::optional<double> parse_run_delay_seconds(std::string_view schedstat);
// delayacct_blkio_ticks, field 42 in the text of /proc/PID/task/TID/stat.
std::optional<double> parse_blocked_io_seconds(std::string_view stat, double ticks_per_second);
// Times of the CPUs, each summed over them.
struct CpuTimes {
  std::optional<double> idle_seconds;   // nothing to run, also while storage was awaited
  std::optional<double> steal_seconds;  // a hypervisor ran other work
};

// From the lines of these CPUs in the text of /proc/stat; without CPUs, from the line for all. Idle time is the sum of
// the fourth and fifth numbers, steal time the eighth. nullopt if one of them has no such line or number.
CpuTimes parse_cpu_times(std::string_view stat, const std::vector<std::size_t>& cpus, double ticks_per_second);
// From the text of a cgroup's cpu.stat: throttled_usec of version 2, or throttled_time, in nanoseconds, of version 1.
std::optional<double> parse_throttled_seconds(std::string_view cpu_stat);

}  // namespace loadline
