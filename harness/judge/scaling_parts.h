// Whether results belong to one scaling study. A part of scaling_study.h; pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/scaling_study.h"

namespace loadline {

// Throws usage Error for fewer than two counts and for two results with the same count, Error for results that cannot
// be points of one curve. `parts` must be in ascending order of ranks.
void check_scaling_parts(std::span<const ScalingPart> parts);

// "a.json, b.json and c.json".
std::string files_text(std::span<const ScalingPart> parts);

// What a reader has to know about the results, one sentence each, and a line that names their warnings. `left_out`:
// number of configurations that not all of them have.
std::vector<std::string> scaling_notes(std::span<const ScalingPart> parts, std::size_t left_out);

}  // namespace loadline
