// Which of the configurations tried to use. Pure, safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/statistics.h"
#include "harness/judge/worker_curve.h"
#include "harness/result/result.h"

namespace loadline {

struct Judgement;

// The worker counts that were tried for a headline's configuration, all else equal.
struct WorkerChoice {
  std::optional<WorkerPoint> fewest;  // the recommended one; nullopt: the trials cannot tell how many are enough
  WorkerPoint best;                   // the highest mean; of equal means, the one with fewer workers
  // `fewest` and `best` are the largest number tried, and loading still limits with it, but not by storage: whether
  // more would gain is not known.
  bool most_tried = false;
};

// How another loader does on the same workload.
struct Alternative {
  std::string loader;
  std::size_t configuration = 0;  // index: the loader's simplest equal configuration, or else its fastest
  Ratio ratio;                    // its throughput over that of the headline's configuration
  bool equal = false;             // it is as fast, within the margin
};

// The configuration that takes the fewest joules per sample, where the energy of all candidates is known.
struct FewestJoules {
  std::size_t configuration = 0;  // index
  double joules = 0;              // per 1,000 samples: the mean over its trials
  std::optional<double> others;   // the same for the headline's configuration, if that is another one
  std::optional<Ratio> ratio;     // of the first to the second; nullopt if it is the headline's own
  bool clearly = false;           // whether the trials can tell the two apart
};

enum class Withheld : std::uint8_t {
  kFullFailed,  // FULL was requested and failed everywhere, and IO alone cannot recommend anything
  kNotCold,     // cold trials were requested and found the data in the page cache
};

// The recommendation for one workload, or for one of the tasks that a sweep makes of it: sequences of one length,
// images of one size, one compute. Its candidates are the configurations that have FULL trials (IO, where none has
// FULL) in the cache state of the fastest. It recommends the simplest candidate that no other beats by more than
// kNoticeable: by the trials of both (non_inferiority.h), or because both have the same compute, which is the
// limit and leaves less than that. Simpler means: data in the given format before a converted copy, then fewer workers,
// then less CPU per sample where the trials can tell, then the first of the run. A single candidate is recommended as
// it is.
struct Headline {
  std::string workload;
  std::string task;                        // as Configuration::task
  std::size_t configuration = 0;           // index: the recommended one, or else the fastest
  std::size_t fastest = 0;                 // index: the highest mean
  std::optional<std::size_t> recommended;  // index; nullopt: the trials cannot tell
  std::vector<std::size_t> equal;          // indices of the others that would do equally well, the simplest first
  std::size_t candidates = 0;
  std::size_t unmeasured = 0;            // configurations that would be candidates, but have no trials yet
  std::optional<Withheld> withheld;      // why nothing is recommended whatever the trials say
  std::size_t rivals = 0;                // candidates that may be more than the margin faster than the fastest so far
  std::optional<double> trials_to_tell;  // trials per candidate, where nothing is recommended and their spread is known
  std::optional<WorkerChoice> workers;   // nullopt if the number of workers was not varied
  std::optional<FewestJoules> fewest_joules;
  std::vector<Alternative> alternatives;  // one for each other loader, in the order of the configurations
};

// One headline for each workload, and task of it, with trials, in the order of the configurations. `judgement` needs
// its cells, configurations and curves.
std::vector<Headline> headlines_of(const Result& result, const Judgement& judgement);

}  // namespace loadline
