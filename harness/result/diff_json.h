// Comparisons and noise floors as JSON text. results/README.md documents every field, results/diff_schema.json the
// types of a comparison.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/diff.h"
#include "harness/judge/noise.h"

namespace loadline {

inline constexpr int kDiffSchemaVersion = 1;
inline constexpr int kNoiseSchemaVersion = 2;

// All that was compared, indented. Numbers are finite; what is missing is null.
std::string diff_json(const std::vector<ResultDiff>& diffs);

// A noise floor, indented, and back. Throws Error naming `source` and what is wrong in it.
std::string noise_json(const NoiseFloor& noise);
NoiseFloor parse_noise(std::string_view text, const std::string& source);

}  // namespace loadline
