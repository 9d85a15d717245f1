// Drawing systems, and running them with the code that measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/truth/known.h"
#include "bench/truth/rigs.h"
#include "bench/truth/system.h"
#include "harness/plan/options.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline::truth {

// One configuration of a system, and how its trials differ.
struct Subject {
  System system;
  Noise noise;
  std::string loader = "thread-pool";
  std::size_t workers = 1;
  double step_seconds = 1e-3;
  std::uint64_t trial_batches = 200;  // roughly, in SYNTHETIC: this sets how long trials are
  std::optional<double> au = {};      // the requested one

  RunOptions options(std::size_t trials) const;
  std::string text() const;  // everything, for people
};

struct Wishes {
  double least_supply = 0.3;  // roughly, supply of the loading over what the step takes
  double most_supply = 3;
  double most_noise = 0.05;
  bool interference = true;
};

Subject draw_subject(Draws& draws, const Wishes& wishes = {});

inline PlanContext plan_context() {
  return {.threads_in_force = 128, .cpus = {}, .data_directory = "/data"};
}

// The plan, without OVERHEAD by default: its trials of a hundred thousand batches show nothing new if the harness
// costs nothing.
Plan plan_of(const RunOptions& options, bool with_overhead = false);

// A result as prepare_run() leaves it, on a quiet machine with a dataset in memory.
Result prepared(const Plan& plan, Simulation& simulation);

// Prepares and runs. Throws Error if a cell fails.
Result run(const Plan& plan, Simulation& simulation);

// The subject's own run: IO, SYNTHETIC and FULL.
Result run(const Subject& subject, std::size_t trials, std::uint64_t seed, Bed& bed, bool with_overhead = false);

// Its FULL cell.
Cell full_cell(const Subject& subject);

}  // namespace loadline::truth
