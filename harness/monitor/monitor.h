// Watches the machine during a run, on its own thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "harness/monitor/series_log.h"
#include "harness/monitor/source.h"
#include "harness/result/monitor_record.h"

namespace loadline {

// Any thread. The destructor waits for a sample in progress.
class Monitor {
 public:
  // Takes the first sample at once, then one per period. `now_seconds`: seconds since the start of the run; called on
  // the monitor's thread. Throws Error if the thread cannot be started.
  Monitor(SeriesLog log, std::function<double()> now_seconds);

  // The record so far.
  MonitorRecord record() const;

 private:
  void run(const std::stop_token& stop);

  mutable std::mutex mutex_;
  SeriesLog log_;
  std::function<double()> now_seconds_;
  double earlier_cpu_seconds_;
  double cpu_seconds_ = 0;
  std::jthread thread_;  // the last member: it uses all others
};

}  // namespace loadline
