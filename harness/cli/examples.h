// Command lines that the help of a verb shows.
#pragma once

#include <span>
#include <string_view>

namespace loadline {

// One or two for every verb that does something, such as "loadline data make"; empty for others.
std::span<const std::string_view> examples_of(std::string_view verb);

}  // namespace loadline
