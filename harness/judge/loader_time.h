// Where the time of a loader's threads goes, and what a verdict says about it: pure functions of trials, safe from any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/statistics.h"
#include "harness/judge/verdict.h"
#include "harness/result/result.h"

namespace loadline {

struct StageShare {
  WorkerStage stage = WorkerStage::kIdle;
  Estimate share;                 // of the time of the loader's threads, over the trials
  double seconds_per_sample = 0;  // of these threads' time, over all samples of all trials
};

struct LoaderTime {
  std::size_t workers = 0;         // 0: the loader works on the consumer's thread
  bool foreign = false;            // an outside loader: all that is known is how long it spent in next()
  std::vector<StageShare> stages;  // in the order of a batch; together they are all of the time
};

// Over the trials that count. std::nullopt without trials, and where not all of them tell the same stages.
std::optional<LoaderTime> loader_time_of(const CellResult& cell);

// The share of the wall time that the consumer waited for a batch; nullopt without trials.
std::optional<Estimate> consumer_wait_of(const CellResult& cell);

// From this share of its threads' time on a verdict names a stage.
inline constexpr double kNamedStage = 0.25;

// What a stage's time is of, beside the stage's own name.
struct LoaderSetting {
  Mode mode = Mode::kFull;    // of the trials
  bool maps_files = false;    // bytes are read where they are touched
  std::size_t threads = 1;    // of loader, consumer and compute, on the CPUs that the loader's may run on
  std::size_t cpus = 1;       // these
  double consumer_waits = 1;  // share of the time
  bool in_order = true;       // batches go out in the sampler's order

  // Whether a thread's time includes waiting for a CPU, even on a machine that is quiet otherwise.
  bool shares_cpus() const { return threads > cpus; }
};

LoaderSetting loader_setting_of(const Result& result, const CellResult& cell);

// The stages in which the threads of a loader of ours spend their time, in a sentence with a space before it; where the
// compute binds, whether workers wait for slots. Empty where the harness binds, where no stage takes kNamedStage, and
// where its share is too noisy to say.
std::string loader_time_sentence(const LoaderTime& time, Bound bound, const LoaderSetting& setting);

}  // namespace loadline
