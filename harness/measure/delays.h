// What keeps threads that have work from running: no CPU for them, storage, a hypervisor, a quota. Texts of the
// kernel's own counters; what does not parse is absent, never 0.
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

// Of one thread since it began.
struct ThreadDelays {
  double run_delay_seconds = 0;              // runnable, and had no CPU
  std::optional<double> blocked_io_seconds;  // blocked on storage
};

// All that the system tells at one moment.
struct Delays {
  std::optional<std::map<std::uint64_t, ThreadDelays>> threads;  // by thread id
  std::optional<double> steal_seconds;                           // of the CPUs in force, since the system started
  std::optional<double> throttled_seconds;                       // of the cgroups around the process, since they began
};

// Amounts from one moment to another.
struct DelaysBetween {
  std::optional<double> run_delay_seconds;
  std::optional<double> blocked_io_seconds;
  std::optional<double> steal_seconds;
  std::optional<double> throttled_seconds;
};

// Sums over the threads of `after`, by id: a thread that began in between counts in full, and one that has
// ended had by then is not known and left out. An id whose counters went back belongs to another thread, which began in
// between.
DelaysBetween difference(const Delays& after, const Delays& before);

// Knows where the system tells of delays, and asks it. Safe to call concurrently.
class DelayMeter {
 public:
  // Looks for the files. The CPUs in force are these; none: all of the system.
  explicit DelayMeter(std::vector<std::size_t> cpus, SystemFiles files = SystemFiles());

  // Takes some 10 µs a thread, and allocates: stands outside the clock of a trial.
  Delays now() const;

 private:
  SystemFiles files_;
  std::vector<std::size_t> cpus_;
  bool counts_blocked_io_;
  std::vector<std::filesystem::path> cgroup_statistics_;
};

// The second number of the text of /proc/PID/task/TID/schedstat, which counts in nanoseconds.
std::optional<double> parse_run_delay_seconds(std::string_view schedstat);
// delayacct_blkio_ticks, field 42 of the text of /proc/PID/task/TID/stat.
std::optional<double> parse_blocked_io_seconds(std::string_view stat, double ticks_per_second);
// Steal, the eighth number of a CPU's line in the text of /proc/stat, summed over these CPUs; without CPUs, the line of
// all. Absent where one of them has no such line or number.
std::optional<double> parse_steal_seconds(std::string_view stat, const std::vector<std::size_t>& cpus,
                                          double ticks_per_second);
// Of the text of a cgroup's cpu.stat: throttled_usec of version 2, or throttled_time, in nanoseconds, of version 1.
std::optional<double> parse_throttled_seconds(std::string_view cpu_stat);

}  // namespace loadline
