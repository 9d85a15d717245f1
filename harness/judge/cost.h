// What samples cost apart from time. Pure, safe from any thread.
#pragma once

#include <optional>
#include <span>

#include "harness/judge/statistics.h"
#include "harness/result/result.h"

namespace loadline {

// The cost of 1,000 samples, with one figure per trial.
struct Cost {
  Summary cpu_seconds;  // user and system, of the whole process: in SYNTHETIC and FULL that includes the compute
  Summary mebibytes;    // of assembled data, as it goes to the compute
};

// Skips trials that ended before their first sample; nullopt where all of them did.
std::optional<Cost> cost_per_thousand_samples(std::span<const Trial> trials);

}  // namespace loadline
