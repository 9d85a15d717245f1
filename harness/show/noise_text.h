// A noise floor, as text.
#pragma once

#include <string>

#include "harness/judge/noise.h"
#include "harness/show/wrap.h"

namespace loadline {

// "noise floor of build-host: IO 6.1 %, FULL 0.3 % (10 pairs of runs of 5 trials)", the cells behind it, and what it
// was measured on.
std::string noise_text(const NoiseFloor& noise, std::size_t width = kUnlimited);

// One line for each mode whose floor is so high that most changes would stay below it.
std::string noise_warning(const NoiseFloor& noise);

}  // namespace loadline
