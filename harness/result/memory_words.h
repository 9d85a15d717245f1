// How much memory a run needs, in words.
#pragma once

#include <string>

#include "harness/result/result.h"
#include "loaders/size_words.h"

namespace loadline {

// "the run needs 2.0 GiB of memory, 1.5 GiB of it for the slots of ..., and MemAvailable leaves 1.0 GiB"; only its
// first half where no limit is known.
std::string memory_words(const MemoryUse& use);

// Whether memory may run short: the run needs 80 % or more of what is left.
bool is_short(const MemoryUse& use);

}  // namespace loadline
