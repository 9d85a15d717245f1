// Trials of one configuration, and the verdict on them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/judge/verdict.h"

namespace loadline::test {

using Rates = std::vector<double>;

// A configuration with its trials: thread-pool with 4 workers feeds "device" in batches of 512. Without a drain it
// fills as fast as IO.
struct Measured {
  Rates io;
  Rates synthetic;
  Rates full;
  std::size_t workers = 4;
  std::string loader = "thread-pool";
  Rates overhead = {};

  // Borrows the trials.
  Evidence evidence() const {
    return {.loader = loader,
            .workers = workers,
            .compute = "device",
            .batch_size = 512,
            .io = io,
            .synthetic = synthetic,
            .full = full,
            .fill = io,
            .overhead = overhead};
  }
  Verdict verdict() const { return judge(evidence()); }
};

inline const Rates kCompute{10000, 10010, 9990};

}  // namespace loadline::test
