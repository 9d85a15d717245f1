// Counts the allocations of the test executable.
#pragma once

#include <cstddef>

namespace loadline::test {

// Returns the number of calls of any operator new, by any thread, since the program began.
std::size_t allocations_so_far();

}  // namespace loadline::test
