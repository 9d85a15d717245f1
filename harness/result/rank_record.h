// What a result says about ranks that were measured as one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

// The stage in which the thread that pulls the batches waits for the next one.
inline constexpr std::string_view kHostWaits = "host waits";
// The stage in which a rank has ended its trial and waits for the slowest.
inline constexpr std::string_view kSlowestRank = "slowest rank";

// A part of a step, over all steps of a trial.
struct StageSummary {
  std::string name;
  std::uint64_t hits = 0;
  double total_seconds = 0;
};

// What one rank did in a trial.
struct RankShare {
  std::size_t rank = 0;
  double started_seconds = 0;  // after the first of all ranks
  double wall_seconds = 0;
  std::uint64_t batches = 0;
  std::uint64_t samples = 0;
  double wait_seconds = 0;  // for the loader
  double cpu_seconds = 0;
  std::optional<double> run_delay_seconds;  // its threads were runnable but had no CPU; nullopt: unknown
  std::vector<StageSummary> stages;
  std::optional<std::string> weights_hash;  // of the weights that the rank had trained by then; nullopt: it trains none

  double samples_per_second() const { return static_cast<double>(samples) / wall_seconds; }
  double ended_seconds() const { return started_seconds + wall_seconds; }  // after the first of all ranks started
};

// The gradients that ranks sum up in each step.
struct RankGradients {
  std::uint64_t step_bytes = 0;  // that each rank contributes; 0: ranks only wait for each other
  std::size_t buckets = 0;
};

// What ranks read together in a trial, including its warm-up and what was filled after it, counted in epochs over the
// whole dataset.
struct RankCoverage {
  std::uint64_t proved_epochs = 0;   // in which each sample appeared exactly once
  std::uint64_t wrong_epochs = 0;    // with enough samples, but not each of them once
  std::uint64_t partial_epochs = 0;  // that the trial began or ended within: nothing is known
};

struct TrialRanks {
  double skew_seconds = 0;                 // from the first start to the last
  std::vector<RankShare> each;             // by rank
  std::optional<RankGradients> gradients;  // nullopt: each rank steps alone

  std::optional<RankCoverage> coverage;  // nullopt: not checked

  // The share of its time that a rank, on average, waits for the summed gradients; and the same for the rank that
  // waits least, which waits only for the bytes and not for other ranks. nullopt: nothing is summed.
  std::optional<double> gradient_share() const;
  std::optional<double> least_gradient_share() const;
  // Whether all ranks have trained the same weights. nullopt: there are no weights, or each rank trains alone.
  std::optional<bool> same_weights() const;
  // The rank that ended last: it took longest or started late.
  std::size_t slowest() const;
  // The share of the time, from the first start to the last end, for which the others, on average, have already ended:
  // what it costs that ranks wait for each other.
  double held_share() const;
};

struct RankPlace {
  std::string host;
  std::vector<std::size_t> cpus;  // that the rank may run on
  bool dealt = false;             // several ranks of the host were given CPUs jointly, and these are its share

  bool operator==(const RankPlace&) const = default;
};

struct RunRanks {
  std::string launcher;            // "mpirun", "srun"
  std::string library;             // the message-passing library, with its version
  double clock_error_seconds = 0;  // largest error of the times of other hosts; 0: all ranks share one clock
  std::vector<RankPlace> places;   // by rank
};

}  // namespace loadline
