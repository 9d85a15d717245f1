// The options for comparing results.
#pragma once

#include <string>

#include "harness/cli/screen.h"
#include "harness/cli/verbs.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

namespace loadline {

// --color.
void add_colours(CLI::App& verb, Colours& colours, const std::string& group);

// The options of a verb that judges: --margin, --alpha and so on.
void add_judging(CLI::App& verb, JudgeRequest& request);

}  // namespace loadline
