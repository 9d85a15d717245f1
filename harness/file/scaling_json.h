// A scaling study as JSON text. docs/scaling.md documents every member, results/scaling_schema.json its type.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/judge/scaling_study.h"

namespace loadline {

inline constexpr int kScalingSchemaVersion = 1;

// Indented. Numbers are finite; what is missing is null. Laws and sentences follow from the rest: they are written
// but not read.
std::string scaling_json(const ScalingStudy& study);

// Whether the text is such a document, of any version.
bool is_scaling_study(std::string_view text);

// The inverse. Throws Error that names `source`, the place in it, what is wanted and what was found.
ScalingStudy parse_scaling_study(std::string_view text, const std::string& source);
// The same for a file.
ScalingStudy load_scaling_study(const std::filesystem::path& path);

}  // namespace loadline
