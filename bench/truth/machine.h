// The truth machine: draws, measures, judges and counts, on as many threads as there are CPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/truth/tally.h"

namespace loadline::truth {

struct MachineOptions {
  std::size_t draws = 2000;
  std::uint64_t seed = 1;
  std::uint64_t truth_batches = 1'000'000;  // length of a run that determines a truth
  std::size_t threads = 2;
  std::vector<std::string> only;  // experiments by name; empty: all
};

// Throws what a draw throws, naming its number.
Tally run_machine(const MachineOptions& options);

}  // namespace loadline::truth
