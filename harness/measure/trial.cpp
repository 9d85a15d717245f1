#include "harness/measure/trial.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "harness/measure/joint_trials.h"
#include "harness/measure/measured_part.h"
#include "harness/measure/steady.h"
#include "harness/measure/warm_trial.h"
#include "harness/result/loader_stages.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/system/affinity.h"
#include "loaders/system/numa.h"

namespace loadline {
namespace {

WaitSummary summarize(const WaitHistogram& waits) {
  return {.total_seconds = seconds(waits.total()),
          .p50_seconds = seconds(waits.percentile(0.50)),
          .p95_seconds = seconds(waits.percentile(0.95)),
          .p99_seconds = seconds(waits.percentile(0.99)),
          .max_seconds = seconds(waits.largest())};
}

// For ranks that step together: they end after the same batch, when the length of any rank is over. They ask each
// other before each batch, which takes time that is not a wait for a loader.
Length length_in_step(const Length& own, Sink& sink, JointTrials* joint) {
  if (joint == nullptr || !sink.summed()) return own;
  Length length = Time::max();
  length.round = own.round;
  length.enough_takes_time = true;
  length.enough = [own, joint](const Stretch& stretch) {
    return joint->any(stretch.batches >= own.batches || stretch.wall >= own.time).value_or(true);
  };
  return length;
}

// What was read before a cold trial's loader was made, whose workers read from then on.
struct BeforeCold {
  UsageReading usage;
  HardwareReading hardware;
};

// From the very first batch to the end of the last step: work launched before the clock stops would otherwise be
// free, because nothing was launched before it started.
MeasuredPart measure_cold(const Rig& rig, Feed& feed, Sink& sink, const TrialOptions& options, BeforeCold& before,
                          const Clock& clock, const std::stop_token& stop) {
  const Length length = length_in_step(length_of(rig, sink, options), sink, options.joint);
  const auto ready = feed.ready();
  MeasuredPart measured;
  measured.began = clock.now();
  if (options.joint != nullptr) options.joint->clock_starts();
  before.hardware.begin_counting(feed);
  const AtStart start{
      .stages = {sink.stages().begin(), sink.stages().end()}, .workers = feed.worker_times(), .usage = before.usage};
  measured.part.stretch = run_loop(feed, sink, clock, length, stop);
  finish(measured.part.stretch, sink, clock);
  if (ready) measured.part.queue = {.ready_at_start = *ready, .ready_at_end = *feed.ready()};
  record_end(rig, feed, sink, start, before.hardware, measured);
  return measured;
}

// Because of --on-corrupt skip, or of a loader of the user's own.
[[noreturn]] void refuse_no_samples(const Rig& rig) {
  const auto skipped = rig.skipped();
  if (skipped.empty()) {
    const auto& loader = rig.cell().loader ? rig.cell().loader : rig.cell().resident_of;
    throw Error(fmt::format("{}: batches have no samples", loader ? "loader " + *loader : "the compute"));
  }
  throw Error(fmt::format(
      "cannot measure {}: none of the samples read can be decoded, so --on-corrupt skip left out {}{}",
      rig.cell().data.string(), skipped.size() == 1 ? "the only one" : fmt::format("all {}", skipped.size()),
      "; the first: " + skipped.begin()->second));
}

}  // namespace

std::optional<Trial> run_trial(const Rig& rig, const TrialOptions& options, Clock& clock, const std::stop_token& stop) {
  const bool cold = starts(rig.cell(), CacheState::kCold);
  const auto& compute_cpus = rig.cell().placement.compute_cpus;
  Trial trial;
  std::unique_ptr<Feed> feed;  // outlives the sink, which may hold its batches to the end
  const Time begin = clock.now();
  std::optional<PinnedThread> pinned(std::in_place, compute_cpus);
  const auto sink = rig.make_sink(clock, stop);
  trial.compute_setup_seconds = seconds(clock.now() - begin);
  trial.compute_description = sink->description();
  // After the sink, which may take longer to make than the loader needs to fill its queue. A cold trial's workers
  // read as soon as they exist, and what they read before the clock starts would be free: until all ranks have dropped
  // the pages of the files that they share, none makes its loader.
  BeforeCold before{.usage = {}, .hardware = HardwareReading(options)};
  Time waited{};
  if (cold) {
    const Time arrived = clock.now();
    if (options.joint != nullptr && !options.joint->start()) return std::nullopt;
    waited = clock.now() - arrived;
    before.usage = rig.usage();
    before.hardware.begin_energy();
  }
  pinned.reset();
  feed = rig.make_feed(options.first_epoch);
  if (options.tallies != nullptr && rig.cell().loader) feed = tallied(std::move(feed), *options.tallies);
  pinned.emplace(compute_cpus);
  trial.setup_seconds = seconds(clock.now() - begin - waited);

  MeasuredPart measured = cold ? measure_cold(rig, *feed, *sink, options, before, clock, stop)
                               : measure_warm(rig, *feed, *sink, options, trial, clock, stop);
  const Stretch& timed = measured.part.stretch;
  if (!timed.complete) return std::nullopt;
  rig.check_files();
  if (timed.samples == 0) refuse_no_samples(rig);
  if (cold) trial.first_batch_seconds = trial.setup_seconds + seconds(timed.first_wait);
  trial.wall_seconds = seconds(timed.wall);
  trial.batches = timed.batches;
  trial.samples = timed.samples;
  trial.bytes = timed.bytes;
  if (timed.token_places > 0) {
    trial.tokens = timed.tokens;
    trial.padding = timed.token_places - timed.tokens;
    if (is_of_text(rig.cell().dataset.sequences)) trial.cut_tokens = timed.tokens_cut;
  }
  trial.stores = timed.stores;
  trial.wait = summarize(timed.waits);
  trial.stages = std::move(measured.stages);
  trial.loader_stages = std::move(measured.loader_stages);
  trial.queue = measured.part.queue;
  trial.summed = sink->summed();
  if (const DeliveredFormat* delivered = feed->delivered()) trial.delivered = *delivered;
  trial.usage = measured.usage;
  trial.consumer_node = node_here();
  trial.slot_nodes = pieces_by_node(feed->slot_memory());
  trial.clock_started_seconds = seconds(measured.began - begin);
  trial.energy = measured.energy;
  trial.counters = measured.counters;
  if (options.fill && !cold && rig.cell().mode == Mode::kIo) {
    // The slowest rank should have the whole machine while it is timed, and all ranks should fill at once.
    if (options.joint != nullptr && !options.joint->any(false)) return std::nullopt;
    trial.fill = measure_fill(*feed, timed, rig.slots().slots, cycles_of(rig), clock, stop);
    if (stop.stop_requested()) return std::nullopt;
    rig.check_files();
  }
  return trial;
}

std::optional<FirstEpoch> run_first_epoch(const Rig& rig, Time limit, Clock& clock, const std::stop_token& stop,
                                          JointTrials* joint) {
  const auto& compute_cpus = rig.cell().placement.compute_cpus;
  std::unique_ptr<Feed> feed;  // outlives the sink, which may hold its batches to the end
  std::optional<PinnedThread> pinned(std::in_place, compute_cpus);
  const auto sink = rig.make_sink(clock, stop);
  pinned.reset();
  if (joint != nullptr && !joint->start()) return std::nullopt;
  const UsageReading before = rig.usage();
  const Time begin = clock.now();
  feed = rig.make_feed(0);
  pinned.emplace(compute_cpus);
  const double setup_seconds = seconds(clock.now() - begin);
  const std::size_t epoch = rig.batches_per_epoch();

  const Stretch first = run_loop(*feed, *sink, clock, Batches{1}, stop);
  Stretch rest = run_loop(*feed, *sink, clock, length_in_step({Batches{epoch - 1}, limit}, *sink, joint), stop);
  finish(rest, *sink, clock);
  if (!first.complete || !rest.complete) return std::nullopt;
  if (first.samples + rest.samples == 0) refuse_no_samples(rig);
  FirstEpoch result{.first_batch_seconds = setup_seconds + seconds(first.waits.total()),
                    .wall_seconds = setup_seconds + seconds(first.wall + rest.wall),
                    .samples = first.samples + rest.samples,
                    .batches = first.batches + rest.batches,
                    .complete = first.batches + rest.batches == epoch};
  result.loader_stages = loader_stages_between({}, feed->worker_times());
  result.usage = difference(rig.usage(), before);
  return result;
}

}  // namespace loadline
