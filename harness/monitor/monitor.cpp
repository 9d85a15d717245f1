#include "harness/monitor/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <system_error>
#include <utility>

#include "harness/machine/usage.h"
#include "loaders/error.h"

namespace loadline {

Monitor::Monitor(SeriesLog log, std::function<double()> now_seconds)
    : log_(std::move(log)), now_seconds_(std::move(now_seconds)), earlier_cpu_seconds_(log_.record().cpu_seconds) {
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  } catch (const std::system_error& error) {
    throw Error(fmt::format("--monitor: cannot start a thread: {}", error.code().message()));
  }
}

MonitorRecord Monitor::record() const {
  const std::lock_guard lock(mutex_);
  MonitorRecord record = log_.record();
  record.cpu_seconds = earlier_cpu_seconds_ + cpu_seconds_;
  return record;
}

void Monitor::run(const std::stop_token& stop) {
  std::mutex never;
  std::condition_variable_any woken;  // by a stop only
  std::unique_lock sleeping(never);
  auto next = std::chrono::steady_clock::now();
  while (!stop.stop_requested()) {
    double period = 0;
    try {
      const std::lock_guard lock(mutex_);
      log_.sample(now_seconds_);
      cpu_seconds_ = thread_cpu_seconds();
      period = log_.period_seconds();
    } catch (const std::exception&) {
      return;  // out of memory: the record so far stays, and the trials go on
    }
    // Samples missed while the machine was asleep or too busy are not made up for.
    const auto step =
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(period));
    next = std::max(next + step, std::chrono::steady_clock::now());
    woken.wait_until(sleeping, stop, next, [] { return false; });
  }
}

}  // namespace loadline
