// Where and with what a run is made: the facts that stand once in every result.
#pragma once

#include <optional>

#include "harness/result/build_facts.h"
#include "harness/result/job.h"
#include "harness/result/machine.h"

namespace loadline {

struct Environment {
  Machine machine;
  Build build;
  std::optional<Job> job;
};

// Gathered now, so at the start of a run: load and free memory change. Takes milliseconds; stands outside any clock.
Environment this_environment();

}  // namespace loadline
