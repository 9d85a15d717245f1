// Where and with what a run is made: the facts that stand once in every result.
#pragma once

#include <optional>

#include "harness/machine/build_facts.h"
#include "harness/machine/job.h"
#include "harness/machine/machine.h"

namespace loadline {

struct Environment {
  Machine machine;
  Build build;
  std::optional<Job> job;
};

// Gathered now, so at the start of a run: load and free memory change. Takes milliseconds; stands outside any clock.
Environment this_environment();

}  // namespace loadline
