#include "harness/measure/warm_trial.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

#include "harness/measure/joint_trials.h"
#include "harness/measure/loop.h"
#include "harness/measure/steady.h"
#include "loaders/loader.h"

namespace loadline {
namespace {

// All slots once: a loader that ran ahead while the clock stood has given away its head start, and a loader that is
// slower than its sink runs as dry as it will be for the whole trial.
std::size_t warm_up_of(const Rig& rig, const Sink& sink, const TrialOptions& options) {
  const std::size_t needed = sink.batches_to_steady_state() + (rig.cell().loader ? rig.slots().slots : 0);
  return std::max<std::size_t>(1, options.warm_up_batches.value_or(needed));
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
    if (options.joint != nullptr) goes_on = options.joint->any(goes_on).value_or(false);
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
  JointTrials& joint = *options.joint;
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
  auto step = joint.longest(step_of(last));
  if (!step) return std::nullopt;
  const auto enough = static_cast<std::uint64_t>(length.time / kShare / *step);
  if (enough > last.batches && !options.warm_up_batches) {
    last = run_loop(feed, sink, clock, Batches{enough}, stop);
    if (!last.complete) return std::nullopt;
    trial.warm_up_batches += enough;
    step = joint.longest(step_of(last));
    if (!step) return std::nullopt;
  }
  const std::uint64_t own = round_of(cycles_of(rig, feed), Stretch{.wall = *step, .batches = 1}, length);
  // One for all ranks, whose epochs may differ by a batch.
  const auto round = joint.longest(Time(static_cast<Time::rep>(own)));
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
  const auto wall = options.joint->longest(part.wall);
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
  if (!options.joint->any(moved).value_or(false)) return measured;
  trial.warm_up_batches += part.stretch.batches;
  if (moved && part.queue->ready_at_end < part.queue->ready_at_start) empty_queue(feed, clock, stop);
  const Stretch stride = run_loop(feed, sink, clock, Batches{sink.batches_to_steady_state()}, stop);
  trial.warm_up_batches += stride.batches;
  return measure_part(run_part, rig, feed, sink, timed, part.stretch, clock, stop);
}

}  // namespace

MeasuredPart measure_warm(const Rig& rig, Feed& feed, Sink& sink, const TrialOptions& options, Trial& trial,
                          Clock& clock, const std::stop_token& stop) {
  const Stretch first = run_loop(feed, sink, clock, Batches{1}, stop);
  trial.first_batch_seconds = trial.setup_seconds + seconds(first.first_wait);
  trial.warm_up_batches = warm_up_of(rig, sink, options);
  if (options.joint != nullptr && sink.summed()) {
    const auto most = options.joint->longest(Time(static_cast<Time::rep>(trial.warm_up_batches)));
    if (!most) return {};
    trial.warm_up_batches = static_cast<std::size_t>(most->count());
  }
  Stretch warm_up = run_loop(feed, sink, clock, Batches{trial.warm_up_batches - 1}, stop);
  if (!options.warm_up_batches) {
    warm_up = warm_up_until_settled(rig, feed, sink, options, trial, warm_up, clock, stop);
  }
  if (options.joint != nullptr) {
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

}  // namespace loadline
