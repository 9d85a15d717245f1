#include "harness/measure/measured_part.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/joint_trials.h"
#include "harness/result/loader_stages.h"
#include "loaders/loader.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

// Steps of OVERHEAD last a fraction of a microsecond: enough of them for the clock, few enough for the user.
const Length kOverheadLength = Batches{100'000};

// Parts of the wall time: the wait, the sink's stages between the two readings, and the rest.
std::vector<StageSummary> stages_of(const Stretch& timed, std::span<const StageTime> before,
                                    std::span<const StageTime> after) {
  if (after.empty()) return {};
  std::vector<StageSummary> stages{{std::string(kHostWaits), timed.batches, seconds(timed.waits.total())}};
  Time rest = timed.wall - timed.waits.total();
  for (std::size_t i = 0; i < after.size(); ++i) {
    const Time total = after[i].total - before[i].total;
    stages.push_back({std::string(after[i].name), after[i].hits - before[i].hits, seconds(total)});
    rest -= total;
  }
  stages.push_back({"other", timed.batches, seconds(rest)});
  return stages;
}

// The other threads that work for the feed; nullopt: it does not report them, or not all have started.
std::optional<std::vector<std::uint64_t>> workers_of(const Feed& feed) {
  std::vector<std::uint64_t> workers;
  const auto own = this_thread_number();
  for (const WorkerTimes& worker : feed.worker_times()) {
    if (worker.thread == 0) return std::nullopt;
    const auto thread = static_cast<std::uint64_t>(worker.thread);
    if (thread != own) workers.push_back(thread);
  }
  return workers.empty() ? std::nullopt : std::optional(std::move(workers));
}

}  // namespace

void HardwareReading::begin_counting(const Feed& feed) {
  if (counters_ != nullptr) counting_.emplace(*counters_, workers_of(feed));
}

void HardwareReading::begin_energy() {
  if (energy_ != nullptr) before_ = energy_->now();
}

std::optional<EnergyUse> HardwareReading::energy() const {
  return energy_ == nullptr ? std::nullopt : energy_->used(before_, energy_->now());
}

std::optional<TrialCounters> HardwareReading::counters() {
  return counting_ ? std::optional(counting_->finish()) : std::nullopt;
}

void record_end(const Rig& rig, const Feed& feed, const Sink& sink, const AtStart& start, HardwareReading& hardware,
                MeasuredPart& measured) {
  measured.loader_stages = loader_stages_between(start.workers, feed.worker_times());
  measured.energy = hardware.energy();
  measured.counters = hardware.counters();
  measured.usage = difference(rig.usage(), start.usage);
  measured.stages = stages_of(measured.part.stretch, start.stages, sink.stages());
}

// A cold trial ends with its epoch: in the next one it would find in the page cache what it has just read.
Length length_of(const Rig& rig, const Sink& sink, const TrialOptions& options) {
  Length length = rig.cell().mode == Mode::kOverhead ? kOverheadLength : options.length;
  length.round = sink.batches_per_round();
  if (!starts(rig.cell(), CacheState::kCold)) return length;
  const std::uint64_t epoch = rig.batches_per_epoch();
  const std::uint64_t whole_rounds = epoch - epoch % length.round;
  length.batches = std::min(length.batches, std::max(whole_rounds, length.round));
  return length;
}

Cycles cycles_of(const Rig& rig) {
  if (!rig.cell().loader) return {};
  return {.workers = rig.cell().workers, .epoch = rig.ends_epochs_short() ? rig.batches_per_epoch() : 1};
}

Cycles cycles_of(const Rig& rig, const Feed& feed) {
  Cycles cycles = cycles_of(rig);
  if (feed.passes().ended > 0) cycles.epoch = std::max<std::uint64_t>(1, feed.passes().batches);
  return cycles;
}

MeasuredPart measure_part(RunPart run, const Rig& rig, Feed& feed, Sink& sink, const TrialOptions& options,
                          const Stretch& before_it, const Clock& clock, const std::stop_token& stop) {
  sink.run_down();
  AtStart start;
  start.stages.assign(sink.stages().begin(), sink.stages().end());
  Length length = length_of(rig, sink, options);
  if (options.joint != nullptr && !options.joint->start()) return {};
  start.usage = rig.usage();  // without waiting for other ranks
  length.round = std::lcm(length.round, round_of(cycles_of(rig, feed), before_it, length));
  HardwareReading hardware(options);
  hardware.begin_counting(feed);
  hardware.begin_energy();
  MeasuredPart measured;
  measured.began = clock.now();
  start.workers = feed.worker_times();
  // Waiting for other ranks and reading the usage took time, in which a device would have got on with its last step:
  // that step would be free.
  sink.resume();
  measured.part = run(feed, sink, clock, length, stop);
  record_end(rig, feed, sink, start, hardware, measured);
  return measured;
}

}  // namespace loadline
