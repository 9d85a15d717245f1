// Whether this build has the address sanitizer, under which code that handles text takes ten times as long.
#pragma once

#include <cstddef>

namespace loadline::test {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Tests that damage a file in many places, one after the other, damage only every ninth place under the sanitizer.
inline constexpr std::size_t kDamageStride = kSanitized ? 9 : 1;

}  // namespace loadline::test
