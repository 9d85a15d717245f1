// A clock whose time passes only when a test lets it.
#pragma once

#include <stop_token>

#include "synthetic/clock.h"

namespace loadline::test {

// For one thread.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Time start = std::chrono::hours(1)) : now_(start) {}

  Time now() const override {
    const Time now = now_;
    now_ += tick_;
    return now;
  }
  void sleep_until(Time time, const std::stop_token& stop) override {
    if (stop.stop_requested()) return;
    ++sleeps_;
    if (time > now_) now_ = time;
    now_ += lateness_;
  }

  void advance(Time time) { now_ += time; }
  // How late every sleep ends from now on.
  void set_lateness(Time lateness) { lateness_ = lateness; }
  // How far every look at the clock moves it from now on, so that a busy wait ends.
  void set_tick(Time tick) { tick_ = tick; }
  int sleeps() const { return sleeps_; }

 private:
  mutable Time now_;
  Time lateness_{};
  Time tick_{};
  int sleeps_ = 0;
};

}  // namespace loadline::test
