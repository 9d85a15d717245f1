// The test executable's operator new counts.
#pragma once

#include <cstddef>

namespace loadline::test {

// Calls of any operator new, by any thread, since the program began.
std::size_t allocations_so_far();

}  // namespace loadline::test
