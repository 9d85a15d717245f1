// Ranges of whole numbers, as options take them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace loadline {

// The most values that a range may have: more than anyone measures, but few enough for memory.
inline constexpr std::size_t kMostOfRange = 4096;

// "7" is {7}; "1:4" is {1, 2, 3, 4}; "8:32:8" and "8:32:+8" are {8, 16, 24, 32}; "1:64:*2" is {1, 2, 4, ..., 64}. The
// last value is the largest that does not exceed the number after the first colon. Throws usage Error that begins
// with `option` for anything else, including a range that never ends or is longer than kMostOfRange.
std::vector<std::size_t> expand_range(std::string_view option, std::string_view text);

// Items separated by commas, each as above: "1,2,4:16:*2". Throws usage Error for a 0, too.
std::vector<std::size_t> expand_counts(std::string_view option, std::string_view text);

}  // namespace loadline
