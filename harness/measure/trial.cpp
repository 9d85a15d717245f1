#include "harness/measure/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "harness/measure/steady.h"
#include "harness/measure/together.h"
#include "harness/monitor/counters.h"
#include "harness/monitor/energy.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/system/affinity.h"
#include "loaders/system/numa.h"

namespace loadline {
namespace {

// Steps of OVERHEAD last a fraction of a microsecond: enough of them for the clock, few enough for the user.
const Length kOverheadLength = Batches{100'000};

WaitSummary summarize(const WaitHistogram& waits) {
  return {.total_seconds = seconds(waits.total()),
          .p50_seconds = seconds(waits.percentile(0.50)),
          .p95_seconds = seconds(waits.percentile(0.95)),
          .p99_seconds = seconds(waits.percentile(0.99)),
          .max_seconds = seconds(waits.largest())};
}

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

// All slots once: a loader that ran ahead while the clock stood has given away its head start, and a loader that is
// slower than its sink runs as dry as it will be for the whole trial.
std::size_t warm_up_of(const Rig& rig, const Sink& sink, const TrialOptions& options) {
  const std::size_t needed = sink.batches_to_steady_state() + (rig.cell().loader ? rig.slots().slots : 0);
  return std::max<std::size_t>(1, options.warm_up_batches.value_or(needed));
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

// For ranks that step together: they end after the same batch, when the length of any rank is over. They ask each
// other before each batch, which takes time that is not a wait for a loader.
Length length_in_step(const Length& own, Sink& sink, Together* together) {
  if (together == nullptr || !sink.summed()) return own;
  Length length = Time::max();
  length.round = own.round;
  length.enough_takes_time = true;
  length.enough = [own, together](const Stretch& stretch) {
    return together->any(stretch.batches >= own.batches || stretch.wall >= own.time).value_or(true);
  };
  return length;
}

Cycles cycles_of(const Rig& rig) {
  if (!rig.cell().loader) return {};
  return {.workers = rig.cell().workers, .epoch = rig.ends_epochs_short() ? rig.batches_per_epoch() : 1};
}

// The same, with the passes of a loader that begins each anew: in whole ones this takes as much time as it does in a
// job.
Cycles cycles_of(const Rig& rig, const Feed& feed) {
  Cycles cycles = cycles_of(rig);
  if (feed.passes().ended > 0) cycles.epoch = std::max<std::uint64_t>(1, feed.passes().batches);
  return cycles;
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

// Reads the available hardware counters, as close around a clock as possible.
class HardwareReading {
 public:
  explicit HardwareReading(const TrialOptions& options) : energy_(options.energy), counters_(options.counters) {}

  void begin_counting(const Feed& feed) {
    if (counters_ != nullptr) counting_.emplace(*counters_, workers_of(feed));
  }
  void begin_energy() {
    if (energy_ != nullptr) before_ = energy_->now();
  }

  std::optional<EnergyUse> energy() const {
    return energy_ == nullptr ? std::nullopt : energy_->used(before_, energy_->now());
  }
  std::optional<TrialCounters> counters() { return counting_ ? std::optional(counting_->finish()) : std::nullopt; }

 private:
  const EnergyMeter* energy_;
  EnergyReading before_;
  const EventCounters* counters_;
  std::optional<EventCounting> counting_;
};

// The timed part of a trial, with everything recorded about it.
struct MeasuredPart {
  TimedPart part;
  std::vector<StageSummary> stages;
  std::optional<LoaderStages> loader_stages;
  Usage usage;
  Time began{};
  std::optional<EnergyUse> energy;
  std::optional<TrialCounters> counters;
};

using RunPart = TimedPart (*)(Feed&, Sink&, const Clock&, const Length&, const std::stop_token&);

MeasuredPart measure_part(RunPart run, const Rig& rig, Feed& feed, Sink& sink, const TrialOptions& options,
                          const Stretch& before_it, const Clock& clock, const std::stop_token& stop) {
  sink.run_down();
  const std::vector<StageTime> stages_before(sink.stages().begin(), sink.stages().end());
  Length length = length_of(rig, sink, options);
  if (options.together != nullptr && !options.together->start()) return {};
  const UsageReading before = rig.usage();  // without waiting for other ranks
  length.round = std::lcm(length.round, round_of(cycles_of(rig, feed), before_it, length));
  HardwareReading hardware(options);
  hardware.begin_counting(feed);
  hardware.begin_energy();
  MeasuredPart measured;
  measured.began = clock.now();
  const std::vector<WorkerTimes> workers_before = feed.worker_times();
  // Waiting for other ranks and reading the usage took time, in which a device would have got on with its last step:
  // that step would be free.
  sink.resume();
  measured.part = run(feed, sink, clock, length, stop);
  measured.loader_stages = loader_stages_between(workers_before, feed.worker_times());
  measured.energy = hardware.energy();
  measured.counters = hardware.counters();
  measured.usage = difference(rig.usage(), before);
  measured.stages = stages_of(measured.part.stretch, stages_before, sink.stages());
  return measured;
}

// Whether warming up should go on: the loader still tries how it works fastest, the sink waits for it, and another
// stretch like the last one would keep the warm-up within twice the length of the trial.
bool goes_on_settling(const Feed& feed, const Length& length, const Stretch& last, const Stretch& all) {
  constexpr int kWaits = 20;  // a twentieth of the time: less would hardly show in the rate
  return feed.settling() && last.complete && last.waits.total() * kWaits >= last.wall &&
         (all.wall + last.wall) / 2 <= length.time && (all.batches + last.batches) / 2 <= length.batches;
}

// Repeats the warm-up until the loader has settled, and returns its last stretch. Ranks repeat it equally often.
Stretch warm_up_until_settled(const Rig& rig, Feed& feed, Sink& sink, const TrialOptions& options, Trial& trial,
                              Stretch last, const Clock& clock, const std::stop_token& stop) {
  const Length length = length_of(rig, sink, options);
  const Batches again{std::max<std::size_t>(1, last.batches)};
  Stretch all = last;
  for (;;) {
    bool goes_on = goes_on_settling(feed, length, last, all);
    if (options.together != nullptr) goes_on = options.together->any(goes_on).value_or(false);
    if (!goes_on || stop.stop_requested()) return last;
    last = run_loop(feed, sink, clock, again, stop);
    all.wall += last.wall;
    all.batches += last.batches;
    trial.warm_up_batches += last.batches;
  }
}

bool ends_by_time(const Length& length) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 40;
  return length.batches >= kMany;
}

// How many batches each rank should take in the time of a trial, judging by the slowest: ranks that are waited for
// count as much as those that wait. The warm-up so far may be too short to tell. nullopt if another rank has left.
std::optional<Length> common_length(const Rig& rig, Feed& feed, Sink& sink, const TrialOptions& options, Trial& trial,
                                    Stretch last, const Clock& clock, const std::stop_token& stop) {
  constexpr int kShare = 8;  // of the trial, that the warm-up needs to tell
  Together& together = *options.together;
  Length length = length_of(rig, sink, options);
  if (!ends_by_time(length)) return length;
  const auto step_of = [](const Stretch& stretch) {
    return Time(stretch.wall.count() / static_cast<Time::rep>(std::max<std::uint64_t>(1, stretch.batches)) + 1);
  };
  // A stopped rank leaves at once: it must not ask the others anything that they do not ask too.
  if (!last.complete) return std::nullopt;
  if (last.batches == 0) {
    last = run_loop(feed, sink, clock, Batches{1}, stop);
    if (!last.complete) return std::nullopt;
    ++trial.warm_up_batches;
  }
  auto step = together.longest(step_of(last));
  if (!step) return std::nullopt;
  const auto enough = static_cast<std::uint64_t>(length.time / kShare / *step);
  if (enough > last.batches && !options.warm_up_batches) {
    last = run_loop(feed, sink, clock, Batches{enough}, stop);
    if (!last.complete) return std::nullopt;
    trial.warm_up_batches += enough;
    step = together.longest(step_of(last));
    if (!step) return std::nullopt;
  }
  const std::uint64_t own = round_of(cycles_of(rig, feed), Stretch{.wall = *step, .batches = 1}, length);
  // One for all ranks, whose epochs may differ by a batch.
  const auto round = together.longest(Time(static_cast<Time::rep>(own)));
  if (!round) return std::nullopt;
  length.round = std::lcm(length.round, static_cast<std::uint64_t>(round->count()));
  const auto batches = static_cast<std::uint64_t>(std::max<Time::rep>(1, length.time / *step));
  Length common(Batches{(batches + length.round - 1) / length.round * length.round});
  common.round = length.round;
  return common;
}

// Whether the part, whose number of batches came from an estimate, lasted less than half of the time on all ranks: then
// something has held up a rank while it warmed up. nullopt if another rank has left.
std::optional<bool> ended_early(const Stretch& part, const TrialOptions& options) {
  const auto wall = options.together->longest(part.wall);
  if (!wall) return std::nullopt;
  return *wall < options.length.time / 2;
}

// Like measure_warm(), but all ranks time equally many batches. They time them again if these were far too few, and if
// the queue of any rank has changed the rate.
MeasuredPart measure_warm_together(const Rig& rig, Feed& feed, Sink& sink, const TrialOptions& options, Trial& trial,
                                   const Stretch& warm_up, const Clock& clock, const std::stop_token& stop) {
  constexpr int kMostTries = 5;
  TrialOptions timed = options;
  Stretch before = warm_up;
  MeasuredPart measured;
  for (int tries = 1;; ++tries) {
    const auto length = common_length(rig, feed, sink, options, trial, before, clock, stop);
    if (!length) return {};
    timed.length = *length;
    measured = measure_part(run_part, rig, feed, sink, timed, before, clock, stop);
    if (!measured.part.stretch.complete) return {};
    if (!ends_by_time(length_of(rig, sink, options)) || options.warm_up_batches || tries == kMostTries) break;
    const auto early = ended_early(measured.part.stretch, options);
    if (!early) return {};
    if (!*early) break;
    before = measured.part.stretch;
    trial.warm_up_batches += before.batches;
  }
  const TimedPart& part = measured.part;
  if (options.warm_up_batches) return measured;
  const bool moved = part.stretch.complete && part.queue && moved_by_queue(part.stretch, *part.queue);
  if (!options.together->any(moved).value_or(false)) return measured;
  trial.warm_up_batches += part.stretch.batches;
  if (moved && part.queue->ready_at_end < part.queue->ready_at_start) empty_queue(feed, clock, stop);
  const Stretch stride = run_loop(feed, sink, clock, Batches{sink.batches_to_steady_state()}, stop);
  trial.warm_up_batches += stride.batches;
  return measure_part(run_part, rig, feed, sink, timed, part.stretch, clock, stop);
}

// Warms up, and times a part whose rate the queue did not change. The queue starts about empty because the sink is
// made first, so a loader that is slower than its sink rarely has anything to give away: only if the sink took long
// over its first steps. Such a queue needs slots / (1 - loader / sink) batches to drain, 170 for 18 slots and a ratio
// of 0.9, more than a trial may have. If it has not returned to its level after twice the length, it is moving to
// another level for good. Then another part is timed from there on, after emptying a draining queue, because it will
// be empty. In all that is at most four lengths, apart from whole cycles (round_of()). A requested warm-up is used as
// it is.
MeasuredPart measure_warm(const Rig& rig, Feed& feed, Sink& sink, const TrialOptions& options, Trial& trial,
                          Clock& clock, const std::stop_token& stop) {
  const Stretch first = run_loop(feed, sink, clock, Batches{1}, stop);
  trial.first_batch_seconds = trial.setup_seconds + seconds(first.first_wait);
  trial.warm_up_batches = warm_up_of(rig, sink, options);
  if (options.together != nullptr && sink.summed()) {
    const auto most = options.together->longest(Time(static_cast<Time::rep>(trial.warm_up_batches)));
    if (!most) return {};
    trial.warm_up_batches = static_cast<std::size_t>(most->count());
  }
  Stretch warm_up = run_loop(feed, sink, clock, Batches{trial.warm_up_batches - 1}, stop);
  if (!options.warm_up_batches) {
    warm_up = warm_up_until_settled(rig, feed, sink, options, trial, warm_up, clock, stop);
  }
  if (options.together != nullptr) {
    return measure_warm_together(rig, feed, sink, options, trial, warm_up, clock, stop);
  }
  if (options.warm_up_batches) return measure_part(run_part, rig, feed, sink, options, warm_up, clock, stop);
  MeasuredPart measured = measure_part(run_balanced_part, rig, feed, sink, options, warm_up, clock, stop);
  const TimedPart& part = measured.part;
  if (!part.stretch.complete || !part.queue || !moved_by_queue(part.stretch, *part.queue)) return measured;
  trial.warm_up_batches += part.stretch.batches;
  if (part.queue->ready_at_end < part.queue->ready_at_start) {
    empty_queue(feed, clock, stop);
    const Stretch stride = run_loop(feed, sink, clock, Batches{sink.batches_to_steady_state()}, stop);
    trial.warm_up_batches += stride.batches;
  }
  return measure_part(run_balanced_part, rig, feed, sink, options, part.stretch, clock, stop);
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
  const Length length = length_in_step(length_of(rig, sink, options), sink, options.together);
  const auto start = feed.ready();
  MeasuredPart measured;
  measured.began = clock.now();
  if (options.together != nullptr) options.together->clock_starts();
  HardwareReading& hardware = before.hardware;
  hardware.begin_counting(feed);
  const std::vector<StageTime> stages_before(sink.stages().begin(), sink.stages().end());
  const std::vector<WorkerTimes> workers_before = feed.worker_times();
  measured.part.stretch = run_loop(feed, sink, clock, length, stop);
  finish(measured.part.stretch, sink, clock);
  measured.loader_stages = loader_stages_between(workers_before, feed.worker_times());
  measured.energy = hardware.energy();
  measured.counters = hardware.counters();
  if (start) measured.part.queue = {.ready_at_start = *start, .ready_at_end = *feed.ready()};
  measured.usage = difference(rig.usage(), before.usage);
  measured.stages = stages_of(measured.part.stretch, stages_before, sink.stages());
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
    if (options.together != nullptr && !options.together->start()) return std::nullopt;
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
    if (options.together != nullptr && !options.together->any(false)) return std::nullopt;
    trial.fill = measure_fill(*feed, timed, rig.slots().slots, cycles_of(rig), clock, stop);
    if (stop.stop_requested()) return std::nullopt;
    rig.check_files();
  }
  return trial;
}

std::optional<FirstEpoch> run_first_epoch(const Rig& rig, Time limit, Clock& clock, const std::stop_token& stop,
                                          Together* together) {
  const auto& compute_cpus = rig.cell().placement.compute_cpus;
  std::unique_ptr<Feed> feed;  // outlives the sink, which may hold its batches to the end
  std::optional<PinnedThread> pinned(std::in_place, compute_cpus);
  const auto sink = rig.make_sink(clock, stop);
  pinned.reset();
  if (together != nullptr && !together->start()) return std::nullopt;
  const UsageReading before = rig.usage();
  const Time begin = clock.now();
  feed = rig.make_feed(0);
  pinned.emplace(compute_cpus);
  const double setup_seconds = seconds(clock.now() - begin);
  const std::size_t epoch = rig.batches_per_epoch();

  const Stretch first = run_loop(*feed, *sink, clock, Batches{1}, stop);
  Stretch rest = run_loop(*feed, *sink, clock, length_in_step({Batches{epoch - 1}, limit}, *sink, together), stop);
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
