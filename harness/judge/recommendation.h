// What to use of what was tried. Pure, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/statistics.h"
#include "harness/judge/worker_curve.h"
#include "harness/result/result.h"

namespace loadline {

struct Judgement;

// The worker counts that were tried of what a headline speaks of, all else alike.
struct WorkerChoice {
  std::optional<WorkerPoint> fewest;  // what is recommended; nullopt: the trials cannot tell how many are enough
  WorkerPoint best;                   // the highest mean; of equal means the one with fewer workers
};

// What another loader makes of the same workload.
struct Alternative {
  std::string loader;
  std::size_t configuration = 0;  // index: the simplest of its equal ones, or else its fastest
  Ratio ratio;                    // its throughput over that of the headline's configuration
  bool equal = false;             // it is as fast within the margin
};

// The configuration that takes the fewest joules a sample, where the energy of all candidates is known.
struct FewestJoules {
  std::size_t configuration = 0;  // index
  double joules = 0;              // of 1,000 samples: the mean over its trials
  std::optional<double> others;   // the same of the headline's configuration, where that is another one
  std::optional<Ratio> ratio;     // of the first to the second; nullopt if it is the headline's own
  bool clearly = false;           // whether the trials can tell the two apart
};

// Of one workload. Its candidates are the configurations that have FULL trials (IO, where none has FULL) in the cache
// state of the fastest. Recommended is the simplest of those than which no other is faster by more than kNoticeable, as
// non_inferiority.h has it: data in the format as it was given before a converted copy, then fewer workers, then less
// CPU a sample, by as much as the trials can tell, then the first of the run. One candidate alone is recommended as it
// is.
struct Headline {
  std::string workload;
  std::size_t configuration = 0;           // index: what is recommended, or else the fastest
  std::size_t fastest = 0;                 // index: the highest mean
  std::optional<std::size_t> recommended;  // index; nullopt: the trials cannot tell
  std::vector<std::size_t> equal;          // indices of the others that would do as well, the simplest first
  std::size_t candidates = 0;
  std::size_t rivals = 0;                // candidates that may be more than the margin faster than the fastest so far
  std::optional<double> trials_to_tell;  // of each candidate, where nothing is recommended and their spread is known
  std::optional<WorkerChoice> workers;   // nullopt if their number was not varied
  std::optional<FewestJoules> fewest_joules;
  std::vector<Alternative> alternatives;  // one for each other loader, in the order of the configurations
};

// One for each workload with trials, in the order of the configurations. `judgement` needs its cells, configurations
// and curves.
std::vector<Headline> headlines_of(const Result& result, const Judgement& judgement);

}  // namespace loadline
