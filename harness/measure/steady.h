// Timing a trial in the steady state of the queue between loader and sink.
//
// If the sink took n batches, n - (ready at the start - ready at the end) of them were made meanwhile. If the queue
// drained, the sink consumed batches from before the clock started, and the rate is too high by up to the share
// (start - end) / n. If the queue filled while the sink still had to wait, the rate is too low by as much. A queue
// that fills ahead of a sink that never waits has no effect: the sink sets the pace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "harness/measure/loop.h"
#include "harness/result/result.h"

namespace loadline {

struct TimedPart {
  Stretch stretch;
  std::optional<QueueLevels> queue;  // nullopt: the feed has no queue
};

// Whether the difference of the two levels can have changed the rate by more than 1 %.
bool moved_by_queue(const Stretch& stretch, const QueueLevels& queue);

// Runs the loop for `length`, and then until the sink has run down (Sink::run_down()). It must have run down before the
// call too.
TimedPart run_part(Feed& feed, Sink& sink, const Clock& clock, const Length& length, const std::stop_token& stop);

// The same, but if the length is a time and the queue has changed the rate, continues until it no longer has, for at
// most the same time again: the batches that the queue gave and took then cancel out.
TimedPart run_balanced_part(Feed& feed, Sink& sink, const Clock& clock, const Length& length,
                            const std::stop_token& stop);

// Takes the batches that are ready and hands them back unread: a loader that is slower than its sink has nothing
// ready in the steady state.
void empty_queue(Feed& feed, const Clock& clock, const std::stop_token& stop);

// What recurs in the batches of a loader.
struct Cycles {
  std::size_t workers = 0;  // which deliver in bursts
  std::uint64_t epoch = 1;  // batches; 1 if epochs do not show in them
};

// The number of batches after which a timed part may end, if it ends by time; otherwise 1. Cycles are estimated from
// the stretch `before`.
// - Workers that start together finish together, in bursts of one batch each. A part that ends by time mostly ends with
//   the first batch of a burst: it has waited for the whole burst but counts one batch. With 64 workers and 200 batches
//   this error is 16 %. So a part ends after a whole number of worker rounds, unless one takes longer than half of it.
// - If the last batch of an epoch is smaller, the batches that are queued or in a device when the clock starts have
//   other sizes than those at its end. Epochs of batches of 250 and 50 samples, with two steps launched ahead, counted
//   850 samples in the time of 650. So a part ends after whole epochs, unless one takes longer than twice the part.
std::uint64_t round_of(const Cycles& cycles, const Stretch& before, const Length& length);

// Measures what the loader fills for a sink that hands each batch back unread, after the `timed` part on the same
// feed with `slots` slots: lets every slot circulate once, then times fill_share() of the timed part, in whole
// cycles. If the feed begins a pass anew meanwhile, times it again within a pass, or a whole pass where passes are
// shorter: a fill is so short that the first batches of a pass would weigh more in it than they do in a job. nullopt
// when stopped, or if no time passed or no sample came.
std::optional<Fill> measure_fill(Feed& feed, const Stretch& timed, std::size_t slots, const Cycles& cycles,
                                 const Clock& clock, const std::stop_token& stop);

// The length of a fill, as a share of the timed part before it, which had `timed_batches` batches: half, but long
// enough for some 100 batches if that part had as many. The figure places the loader against the compute. Trials
// differ mostly by the state of the machine, which half a trial shows as well as a whole one; and the run takes a
// sixth longer instead of a third.
double fill_share(double timed_batches);

}  // namespace loadline
