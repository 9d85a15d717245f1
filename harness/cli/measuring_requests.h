// The requests of the verbs that measure, combined from the command line, a configuration file and an earlier result.
#pragma once

#include "harness/cli/verb_options.h"

namespace loadline {

// The options of a verb where the command line says nothing; the others measure with those of RunOptions.
RunOptions defaults_of_training();
RunOptions defaults_of_pairs();  // of `ab` and `aa`

// Each runs its verb, after the command line is parsed, and returns an exit code. If several ranks were started
// together, `run` and `ceilings` join them. Throws Error as the verb does, and for options that contradict each
// other.
int run_as_asked(Request& request);
int ceilings_as_asked(Request& request);
int train_as_asked(Request& request, const TrainRequest& training);
int check_as_asked(Request& request, const CheckRequest& checking);
int ab_as_asked(Request& request, PairsRequest& pairs);
int aa_as_asked(Request& request, NoiseRequest& noise);
int scale_as_asked(Request& request, ScaleRequest& scale);

}  // namespace loadline
