// Watches the machine on a thread of its own while a run goes on.
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

// Any thread. The destructor waits for a sample that is being taken.
class Monitor {
 public:
  // Takes the first sample at once, and one more in each period. `now_seconds`: since the start of the run; called by
  // the thread. Throws Error where there cannot be another thread.
  Monitor(SeriesLog log, std::function<double()> now_seconds);

  // What there is so far.
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
