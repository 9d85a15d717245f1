#include "harness/measure/meter.h"

namespace loadline {

Usage difference(const UsageReading& after, const UsageReading& before) {
  Usage used = difference(after.usage, before.usage);
  const DelaysBetween delays = difference(after.delays, before.delays);
  used.run_delay_seconds = delays.run_delay_seconds;
  used.blocked_io_seconds = delays.blocked_io_seconds;
  used.idle_seconds = delays.idle_seconds;
  used.steal_seconds = delays.steal_seconds;
  used.throttled_seconds = delays.throttled_seconds;
  return used;
}

}  // namespace loadline
