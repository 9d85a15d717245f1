// What may explain a change other than the change itself, and so leaves its verdict open. Pure functions, safe from any
// thread.
#pragma once

#include "harness/judge/diff.h"

namespace loadline {

// Weakens the changes of rates by the noise floor of the host. Only between two runs.
void heed_noise(ResultDiff& diff, const DiffOptions& options, const Named& base, const Named& changed);

// Between two runs: a side that lost CPU time to other processes was slower for that reason too. A verdict stands only
// if the change exceeds what this explains.
void heed_other_load(ResultDiff& diff, const Named& base, const Named& changed);

// Notes which busy pairs the verdicts were not judged by, or what they leave open.
void heed_busy_pairs(ResultDiff& diff);

}  // namespace loadline
