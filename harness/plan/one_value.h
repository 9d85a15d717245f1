// Which options of a run take one value, and why.
#pragma once

#include <string>
#include <string_view>

#include "harness/plan/options.h"

namespace loadline {

// "it applies to the whole run": of this option and others. Empty where it takes a list.
std::string_view why_one_value(const OptionRow& row);

// "--rank, --world-size: they are ...", a line for each reason, for the help.
std::string one_value_text();

}  // namespace loadline
