// Where and with what a run is made: the facts that every result holds once.
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

// Gathers the facts now. Load and free memory change, so call it at the start of a run. Takes milliseconds, so it
// must stay outside any clock.
Environment this_environment();

}  // namespace loadline
