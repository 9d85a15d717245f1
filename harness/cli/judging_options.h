// The part of the command line that is about comparing results.
#pragma once

#include "harness/cli/verbs.h"

namespace CLI {
class App;
}

namespace loadline {

// The options of a verb that judges: --margin, --alpha and so on.
void add_judging(CLI::App& verb, JudgeRequest& request);

// The verb `diff`.
void add_diff(CLI::App& app, DiffRequest& request);

}  // namespace loadline
