// The clock of a simulation: time passes only when something takes time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stop_token>

#include "synthetic/clock.h"

namespace loadline::truth {

inline Time time_of(double seconds) {
  return Time(std::llround(seconds * 1e9));
}

// One thread.
class SimulatedClock final : public Clock {
 public:
  Time now() const override { return now_; }
  void sleep_until(Time time, const std::stop_token& /*stop*/) override { pass_until(time); }

  void pass(Time time) { now_ += time; }
  void pass_until(Time time) { now_ = std::max(now_, time); }

 private:
  Time now_ = std::chrono::hours(1);
};

}  // namespace loadline::truth
