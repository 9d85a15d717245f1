// Baselines, for people. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/file/listing.h"

namespace loadline {

// One line per baseline: what it is of, and how many results had its name before. Without baselines: how to keep one
// in `directory`.
std::string baselines_text(const std::vector<ListedBaseline>& baselines, std::string_view directory);

}  // namespace loadline
