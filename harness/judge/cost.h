// What samples cost beside time. Pure, safe from any thread.
#pragma once

#include <optional>
#include <span>

#include "harness/judge/statistics.h"
#include "harness/result/result.h"

namespace loadline {

// Of 1,000 samples, one figure a trial.
struct Cost {
  Summary cpu_seconds;  // user and system, of the whole process: in SYNTHETIC and FULL with what the compute takes
  Summary mebibytes;    // of assembled data, as it goes to the compute
};

// Trials that ended before their first sample have no cost of one and are passed over; nullopt where all of them did.
std::optional<Cost> cost_per_thousand_samples(std::span<const Trial> trials);

}  // namespace loadline
