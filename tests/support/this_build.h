// What the tests know of the build folder that they run in. Another build may have compiled them.
#pragma once

#include <cstddef>

namespace loadline::test {

extern const char* const kRepository;
extern const char* const kPlugins;  // folder of the plug-ins made for tests, with a slash at the end
extern const char* const kGpus;     // folder of the stand-ins for the libraries of GPU vendors, likewise
extern const char* const kTool;

// Whether the libraries and the tool are built with a sanitizer, under which code that handles text takes ten times as
// long.
extern const bool kSanitized;

// Tests that damage a file in many places, one after the other, damage only every ninth place under a sanitizer.
inline std::size_t damage_stride() {
  return kSanitized ? 9 : 1;
}

}  // namespace loadline::test
