// The single clock of a run, passed as a parameter so that tests can replace it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace loadline {

using Time = std::chrono::nanoseconds;  // since a fixed but arbitrary moment; never steps back

constexpr double seconds(Time time) {
  return std::chrono::duration<double>(time).count();
}

// Of std::chrono::steady_clock.
Time steady_now();

class Clock {
 public:
  virtual ~Clock() = default;

  virtual Time now() const = 0;
  // Uses no CPU. Returns at `time` or a little later, or as soon as a stop is requested.
  virtual void sleep_until(Time time, const std::stop_token& stop) = 0;
};

// std::chrono::steady_clock.
class SteadyClock final : public Clock {
 public:
  // Asks the system to end the calling thread's sleeps on time: by default it may delay them by 50 µs.
  SteadyClock();

  Time now() const override;
  // One thread at a time.
  void sleep_until(Time time, const std::stop_token& stop) override;

 private:
  // Made once, because a condition variable of this kind allocates and sleeps happen while a trial is timed.
  std::mutex mutex_;
  std::condition_variable_any never_;  // woken only by a stop
};

}  // namespace loadline
