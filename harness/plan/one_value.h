// Which options of a run take one value, and why.
#pragma once

#include <string>
#include <string_view>

#include "harness/plan/options.h"

namespace loadline {

// The reason, such as "it applies to the whole run". Empty if the option takes a list.
std::string_view why_one_value(const OptionRow& row);

// For the help, one line per reason: "--rank, --world-size: they are ...".
std::string one_value_text();

}  // namespace loadline
