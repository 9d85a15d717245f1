// Baselines, for people. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/file/listing.h"

namespace loadline {

// A line each: what it is of, and how many had its name before; where there is none, how to keep one in `directory`.
std::string baselines_text(const std::vector<ListedBaseline>& baselines, std::string_view directory);

}  // namespace loadline
