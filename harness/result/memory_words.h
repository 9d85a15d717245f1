// What a run takes of the memory, in words.
#pragma once

#include <cstdint>
#include <string>

#include "harness/result/result.h"

namespace loadline {

// "512 bytes", "1.5 KiB", "24.0 GiB".
std::string size_words(std::uint64_t bytes);

// "the run needs 2.0 GiB of memory, 1.5 GiB of it for the slots of ..., and MemAvailable leaves 1.0 GiB"; without a
// limit that is known its first half.
std::string memory_words(const MemoryUse& use);

// Whether so much is needed that it may run short: from 80 % of what is left on.
bool is_short(const MemoryUse& use);

}  // namespace loadline
