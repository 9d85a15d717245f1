// The options for comparing results.
#pragma once

#include <string>

#include "harness/cli/screen.h"
#include "harness/cli/verbs.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
class Option;
}  // namespace CLI

namespace loadline {

// --color.
void add_colours(CLI::App& verb, Colours& colours, const std::string& group);

// The option `flag`, which takes one of diff_formats() and puts it into `format`.
CLI::Option& add_diff_format(CLI::App& verb, const std::string& flag, std::string& format);

// The options of a verb that judges: --margin, --alpha and so on.
void add_judging(CLI::App& verb, JudgeRequest& request);

}  // namespace loadline
