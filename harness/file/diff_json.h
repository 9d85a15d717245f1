// Comparisons and noise floors as JSON text. results/README.md documents every field, results/diff_schema.json the
// types of a comparison.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/diff.h"
#include "harness/judge/noise.h"
#include "harness/judge/walk.h"

namespace loadline {

// 2: IO decides along with FULL, partners may differ in their settings, and there are walks.
inline constexpr int kDiffSchemaVersion = 2;
inline constexpr int kNoiseSchemaVersion = 2;

// All that was compared, indented. Numbers are finite; what is missing is null.
std::string diff_json(const std::vector<ResultDiff>& diffs);
std::string walk_json(const Walk& walk);

// A noise floor, indented, and back. Reading throws Error that names `source` and what is wrong in it.
std::string noise_json(const NoiseFloor& noise);
NoiseFloor parse_noise(std::string_view text, const std::string& source);

}  // namespace loadline
