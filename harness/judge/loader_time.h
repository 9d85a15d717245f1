// Where the time of a loader's threads goes, and what a verdict says about it. Pure functions of trials, safe from
// any thread.
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
  bool foreign = false;            // an outside loader: only the time that it spent in next() is known
  std::vector<StageShare> stages;  // in the order of a batch; they add up to all of the time
};

// Over the trials that count. std::nullopt without trials, and where the trials do not all report the same stages.
std::optional<LoaderTime> loader_time_of(const CellResult& cell);

// The share of the wall time that the consumer waited for a batch; nullopt without trials.
std::optional<Estimate> consumer_wait_of(const CellResult& cell);

// The share of their time that the workers of a cell wait for free slots; 0 where that is not known.
double slot_wait_share(const CellResult& cell);

// Whether that is as much as a verdict mentions (kNamedStage). More workers would wait too.
bool waits_for_slots(const CellResult& cell);

// "the workers wait for free slots".
std::string slot_wait_words(const CellResult& cell);

// A verdict mentions a stage that takes at least this share of the threads' time.
inline constexpr double kNamedStage = 0.25;

// What a sentence about a stage's time has to consider.
struct LoaderSetting {
  Mode mode = Mode::kFull;     // of the trials
  bool maps_files = false;     // bytes are read when they are first touched
  std::size_t threads = 1;     // of loader, consumer and compute, on the CPUs that the loader's threads may use
  std::size_t cpus = 1;        // those CPUs
  double consumer_waits = 1;   // share of the time
  bool in_order = true;        // batches go out in the sampler's order
  bool disturbed = false;      // others took a noticeable share of the CPUs
  bool storage_binds = false;  // more reads in flight would not help

  // Whether a thread's time includes waiting for a CPU even if nothing else runs on the machine.
  bool shares_cpus() const { return threads > cpus; }
};

LoaderSetting loader_setting_of(const Result& result, const CellResult& cell);

// A sentence, with a leading space, about the stages in which the threads of one of our loaders spend their time;
// where the compute binds, it says whether workers wait for slots. Empty where the harness binds, where no stage
// takes kNamedStage, and where its share is too noisy to state.
std::string loader_time_sentence(const LoaderTime& time, Bound bound, const LoaderSetting& setting);

}  // namespace loadline
