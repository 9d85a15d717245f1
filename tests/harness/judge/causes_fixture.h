// Trials whose threads seldom run, for causes to find and words to tell.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/judge/causes.h"
#include "tests/harness/support/results.h"

namespace loadline::test {

inline constexpr SharedCpus kTwoOfFour{.counted = 2, .of_process = 3, .cpus = 4};

// Trials of 10 s each: the consumer waits for 9 s, and each of two workers is on a CPU for 1 s.
struct Waiting {
  Access access = Access::kMapped;
  SharedCpus cpus = kTwoOfFour;
  CellResult cell =
      cell_result({.mode = Mode::kIo, .rates = {1000, 1000, 1000}, .loader = "thread-pool", .workers = 2});

  Waiting() {
    for (Trial& trial : cell.trials) {
      trial.usage.user_cpu_seconds = 1.5;
      trial.usage.system_cpu_seconds = 0.5;
      trial.wait.total_seconds = 9;
    }
  }

  std::optional<DeviceShare> device;

  Causes causes() const {
    const DatasetInfo info{.samples = 10'000, .stored_bytes = 10'000'000, .access = access};
    return *causes_of(cell, info, cpus, device);
  }
};

// Two ranks on one CPU, each with a worker and a consumer: the trial has what both used and waited for.
struct TwoRanks : Waiting {
  TwoRanks(double wall_seconds, double cpu_seconds, double run_delay_seconds) {
    cpus = {.counted = 1, .of_process = 2, .cpus = 1, .ranks = 2};
    for (Trial& trial : cell.trials) {
      trial.wall_seconds = wall_seconds;
      trial.usage.user_cpu_seconds = 2 * cpu_seconds;
      trial.usage.system_cpu_seconds = 0;
      trial.usage.run_delay_seconds = 2 * run_delay_seconds;
      trial.ranks = TrialRanks{.each = std::vector<RankShare>(2)};
    }
  }
};

// Two ranks of 10 s, each with a worker and a consumer on two CPUs of its own. Both are on CPUs for 4 s.
struct RanksOnTheirOwnCpus : Waiting {
  explicit RanksOnTheirOwnCpus(std::vector<double> run_delays) {
    cpus = {.counted = 1, .of_process = 2, .cpus = 2, .ranks = 1};
    for (Trial& trial : cell.trials) {
      trial.usage.user_cpu_seconds = 8;
      trial.usage.system_cpu_seconds = 0;
      trial.usage.run_delay_seconds = run_delays[0] + run_delays[1];
      trial.ranks = TrialRanks{};
      for (std::size_t rank = 0; rank < run_delays.size(); ++rank) {
        trial.ranks->each.push_back(
            {.rank = rank, .wall_seconds = 10, .cpu_seconds = 4, .run_delay_seconds = run_delays[rank]});
      }
    }
  }
};

}  // namespace loadline::test
