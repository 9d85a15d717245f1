// A noise floor, for people.
#pragma once

#include <string>

#include "harness/judge/noise.h"

namespace loadline {

// "noise floor of build-host: IO 2.1 %, FULL 0.3 % (20 pairs of 0.25 s)", then the cells behind it.
std::string noise_text(const NoiseFloor& noise);

// A line for each mode whose floor is so high that most changes would pass under it.
std::string noise_warning(const NoiseFloor& noise);

}  // namespace loadline
