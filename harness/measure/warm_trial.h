// Warming up, and timing a part of a trial in the steady state.
#pragma once

#include <stop_token>

#include "harness/measure/measured_part.h"
#include "harness/measure/rig.h"
#include "harness/measure/trial.h"
#include "harness/result/result.h"
#include "synthetic/clock.h"

namespace loadline {

// Warms up, and times a part whose rate the queue did not change. The queue starts about empty because the sink is
// made first, so a loader that is slower than its sink rarely has anything to give away: only if the sink took long
// over its first steps. Such a queue needs slots / (1 - loader / sink) batches to drain, 170 for 18 slots and a ratio
// of 0.9, more than a trial may have. If it has not returned to its level after twice the length, it is moving to
// another level for good. Then another part is timed from there on, after emptying a draining queue, because it will
// be empty. In all that is at most four lengths, apart from whole cycles (round_of()). A requested warm-up is used as
// it is.
//
// Sets the trial's first_batch_seconds, from its setup_seconds, and its warm_up_batches. The stretch is not complete
// when stopped, or if another rank has left.
MeasuredPart measure_warm(const Rig& rig, Feed& feed, Sink& sink, const TrialOptions& options, Trial& trial,
                          Clock& clock, const std::stop_token& stop);

}  // namespace loadline
