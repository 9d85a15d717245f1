// What a command line asks of the verbs that measure: the options of the line, a configuration file and an earlier
// result, put together.
#pragma once

#include "harness/cli/verb_options.h"

namespace loadline {

// Each runs its verb and returns an exit code, when the command line is parsed. Where several ranks were started
// together, `run` and `ceilings` join them. Throws Error as the verb does, and where options contradict each other.
int run_as_asked(Request& request);
int ceilings_as_asked(Request& request);
int train_as_asked(Request& request, const TrainRequest& training);
int check_as_asked(Request& request, const CheckRequest& checking);
int ab_as_asked(Request& request, PairsRequest& pairs);
int aa_as_asked(Request& request, NoiseRequest& noise);
int scale_as_asked(Request& request, ScaleRequest& scale);

}  // namespace loadline
