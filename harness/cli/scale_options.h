// The options of `loadline scale` beside those of the runs that it makes.
#pragma once

#include "harness/cli/verbs.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

namespace loadline {

// Returns the verb, which lacks the options of runs.
CLI::App& add_scale(CLI::App& app, ScaleRequest& request);

// Whether each run of a study may be given the option: all but what the study itself sets.
bool is_for_scale(const OptionRow& row);

}  // namespace loadline
