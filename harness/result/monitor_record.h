// What a monitor recorded about the machine during a run, as plain data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace loadline {

// One quantity of one device over time.
struct MonitorSeries {
  std::string name;            // "cpu user"
  std::string of;              // "cpu0", "all CPUs", "nvme0n1"
  std::string unit;            // "share", "bytes/s", "bytes", "1/s", "s", "Hz", "W", "degrees C"
  std::string source;          // "/proc/stat", "NVML"
  std::vector<double> values;  // one per time of the record; NaN where not known
};

// A rate or a share is that of the interval ending at its time; any other value is the one at that moment.
struct MonitorRecord {
  double period_seconds = 0;          // as requested
  std::size_t halvings = 0;           // how often half of the samples were dropped; each time doubles the period
  double cpu_seconds = 0;             // used by the sampling thread
  std::vector<double> times_seconds;  // after the start of the run, like Trial::started_seconds
  std::vector<MonitorSeries> series;
};

}  // namespace loadline
