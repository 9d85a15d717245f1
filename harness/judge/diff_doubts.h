// What may explain a change other than the change itself, and so leaves its verdict open. Pure functions, safe from any
// thread.
#pragma once

#include "harness/judge/diff.h"

namespace loadline {

// Weakens the changes of rates by the noise floor of the host. Only between two runs.
void heed_noise(ResultDiff& diff, const DiffOptions& options, const Named& base, const Named& changed);

// Between two runs: the slower side may be slower because other processes took more CPU time from it than from the
// other side. What both lost alike explains no change.
//
// Of the CPU time that it wanted, a side had the share a = exp(-slowed) or more (OtherLoad). If the change did nothing,
// both sides are one program, whose rate r(a) grows with a, but no faster than in proportion: r(a) / a does not grow.
// So with a_slower < a_faster
//
//   r(a_slower) / r(a_faster) >= a_slower / a_faster
//
// and else the slower side lost nothing to others that the faster one did not lose too. Others explain at most this
// ratio, and no more than what the slower side lacks of the rate at which a device takes its batches. This is a bound
// and no estimate: they may explain nothing. It assumes that they disturbed both sides in the same way, so where both
// were busy the words advise `ab`. The uncertainty of the shares, which are means over the trials, is not part of it.
//
// A regression or improvement stands if the change that remains exceeds the margin and its interval excludes none at
// all.
void heed_other_load(ResultDiff& diff, const Named& base, const Named& changed);

// Notes which busy pairs the verdicts were not judged by, or what they leave open.
void heed_busy_pairs(ResultDiff& diff);

}  // namespace loadline
