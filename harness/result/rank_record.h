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

  double samples_per_second() const { return static_cast<double>(samples) / wall_seconds; }
};

struct TrialRanks {
  double skew_seconds = 0;      // from the first start to the last
  std::vector<RankShare> each;  // by rank

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
