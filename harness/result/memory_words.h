// How much memory a run needs, in words.
#pragma once

#include <cstdint>
#include <string>

#include "harness/result/result.h"

namespace loadline {

// "512 bytes", "1.5 KiB", "24.0 GiB".
std::string size_words(std::uint64_t bytes);

// "the run needs 2.0 GiB of memory, 1.5 GiB of it for the slots of ..., and MemAvailable leaves 1.0 GiB"; only its
// first half where no limit is known.
std::string memory_words(const MemoryUse& use);

// Whether memory may run short: the run needs 80 % or more of what is left.
bool is_short(const MemoryUse& use);

}  // namespace loadline
