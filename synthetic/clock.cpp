#include "synthetic/clock.h"

#include <sys/prctl.h>

namespace loadline {

Time steady_now() {
  return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now().time_since_epoch());
}

SteadyClock::SteadyClock() {
  constexpr unsigned long kSlackNanoseconds = 1;
  ::prctl(PR_SET_TIMERSLACK, kSlackNanoseconds, 0UL, 0UL, 0UL);
}

Time SteadyClock::now() const {
  return steady_now();
}

void SteadyClock::sleep_until(Time time, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  never_.wait_until(lock, stop, std::chrono::steady_clock::time_point(time), [] { return false; });
}

}  // namespace loadline
