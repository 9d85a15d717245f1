// Several things in one sentence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadline {

// "IO", "IO and FULL", "IO, SYNTHETIC and FULL"; another conjunction is "or". Empty for no names.
std::string listed(const std::vector<std::string>& names, std::string_view conjunction = "and");

}  // namespace loadline
