// The timed part of a trial in the steady state of the queue between loader and sink.
//
// Of n batches that the sink took, n - (ready at the start - ready at the end) were made meanwhile. Where the queue
// drained, the sink ran on batches from before the clock started, and the rate is above what the two can keep up, by up
// to (start - end) / n of it. If the queue filled while the sink still had to wait, the rate is too low by as much. A
// queue that fills before a sink that does not wait moves nothing: the sink sets the pace.
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

// Whether the difference of the two levels can have moved the rate by more than 1 %.
bool moved_by_queue(const Stretch& stretch, const QueueLevels& queue);

// Runs the loop for `length`.
TimedPart run_part(Feed& feed, Sink& sink, const Clock& clock, const Length& length, const std::stop_token& stop);

// The same; but where the length is a time and the queue has moved the rate, goes on until it no longer has, for as
// long again at the most: the batches that the queue gave away and those that it took then cancel out.
TimedPart run_balanced_part(Feed& feed, Sink& sink, const Clock& clock, const Length& length,
                            const std::stop_token& stop);

// Takes the batches that are ready and hands them back unread: a loader that is slower than its sink leaves nothing
// ready in the steady state.
void empty_queue(Feed& feed, const Clock& clock, const std::stop_token& stop);

// Workers that began together end together, in bursts of a batch each: a part that ends by the time, which is mostly
// with the first of a burst, has waited for all of it and counts one. 64 workers and 200 batches make that 16 %. Such a
// part ends after a whole number of rounds of the workers, by what came `before` it; 1 where a round would take longer
// than half of its time, and where it ends by a number of batches.
std::uint64_t round_of_workers(std::size_t workers, const Stretch& before, const Length& length);

// What the loader fills for a sink that hands each batch back unread, on a feed of so many slots whose `timed` part is
// over: after all slots went round once, for fill_share() of the time that was timed, in rounds of the workers. None
// when stopped, or when no time passed or no sample came.
std::optional<Fill> measure_fill(Feed& feed, const Stretch& timed, std::size_t slots, std::size_t workers,
                                 const Clock& clock, const std::stop_token& stop);

// How long a fill is, of the part of so many batches that it follows: half as long, but long enough for some 100
// batches where that part had as many. The figure serves to place the loader against the compute. What sets trials
// apart is mostly the state of the machine, which half of one shows as well as all of it; and a run takes a sixth more
// time rather than a third.
double fill_share(double timed_batches);

}  // namespace loadline
