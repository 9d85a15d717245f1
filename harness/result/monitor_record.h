// What a monitor saw of the machine while a run went on, as plain data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace loadline {

// One quantity of one thing over time.
struct MonitorSeries {
  std::string name;            // "cpu user"
  std::string of;              // "cpu0", "all CPUs", "nvme0n1"
  std::string unit;            // "share", "bytes/s", "bytes", "1/s", "s", "Hz", "W", "degrees C"
  std::string source;          // "/proc/stat", "NVML"
  std::vector<double> values;  // one for each time of the record; NaN where it is not known
};

// A rate or a share is of the interval that ends at its time; all else is as it was at that moment.
struct MonitorRecord {
  double period_seconds = 0;          // as it was asked for
  std::size_t halvings = 0;           // how often half of the samples were given up: each doubles the period
  double cpu_seconds = 0;             // that the sampling thread used
  std::vector<double> times_seconds;  // after the start of the run, as Trial::started_seconds
  std::vector<MonitorSeries> series;
};

}  // namespace loadline
