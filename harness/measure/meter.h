// What this process used and waited for between two moments.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "harness/machine/usage.h"
#include "harness/measure/delays.h"

namespace loadline {

struct UsageReading {
  Usage usage;
  Delays delays;
};

// Reads every counter. Safe to call concurrently.
class UsageMeter {
 public:
  // `cpus`: those in force; empty: all of the system.
  explicit UsageMeter(std::vector<std::size_t> cpus) : delays_(std::move(cpus)) {}

  // Takes some 10 µs per thread and allocates, so it must stay outside a trial's clock.
  UsageReading now() const { return {.usage = usage_now(), .delays = delays_.now()}; }

 private:
  DelayMeter delays_;
};

// What was used and waited for from `before` to `after`.
Usage difference(const UsageReading& after, const UsageReading& before);

}  // namespace loadline
