// What a result tells of ranks that were measured as one run.
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
// That in which a rank has ended its trial, and waits for the slowest.
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
  std::vector<StageSummary> stages;
  std::optional<std::string> weights_hash;  // of the weights that it had trained by then; nullopt: there are none

  double samples_per_second() const { return static_cast<double>(samples) / wall_seconds; }
};

// The sums that ranks make of their gradients, of each step.
struct RankGradients {
  std::uint64_t step_bytes = 0;  // that each gives; 0: they only wait for each other
  std::size_t buckets = 0;
};

// What ranks read together in a trial, its warm-up and what was filled after it, by epochs that have all of the
// dataset.
struct RankCoverage {
  std::uint64_t proved_epochs = 0;   // in which each sample came exactly once
  std::uint64_t wrong_epochs = 0;    // as many samples or more, and not each of them once
  std::uint64_t partial_epochs = 0;  // the trial began or ended within them: nothing is known
};

struct TrialRanks {
  double skew_seconds = 0;                 // from the first start to the last
  std::vector<RankShare> each;             // by rank
  std::optional<RankGradients> gradients;  // nullopt: each steps alone

  std::optional<RankCoverage> coverage;  // nullopt: nobody looked

  // The part of its time for which a rank, on average, waits for its sums; and that of the rank that waits least, which
  // waits for the bytes and for nobody. None: there are no sums.
  std::optional<double> gradient_share() const;
  std::optional<double> least_gradient_share() const;
  // Whether all have trained the same weights. None: there are none, or each trains alone.
  std::optional<bool> same_weights() const;
  // That took the longest.
  std::size_t slowest() const;
  // The part of its time for which the others, on average, have ended already: what it costs that ranks wait for each
  // other.
  double held_share() const;
};

struct RankPlace {
  std::string host;
  std::vector<std::size_t> cpus;  // that it may run on
  bool dealt = false;             // these are its share of what several ranks of the host were given together

  bool operator==(const RankPlace&) const = default;
};

struct RunRanks {
  std::string launcher;            // "mpirun", "srun"
  std::string library;             // that carries messages, with its version
  double clock_error_seconds = 0;  // of the times of other hosts, at the most; 0: all ranks have one clock
  std::vector<RankPlace> places;   // by rank
};

}  // namespace loadline
