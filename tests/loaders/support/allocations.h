// Counts the allocations of the test executable, and refuses one where a test says so.
#pragma once

#include <cstddef>

namespace loadline::test {

// Returns the number of calls of any operator new, by any thread, since the program began.
std::size_t allocations_so_far();

// Refuses the next allocation of exactly `bytes` bytes, by any thread, with std::bad_alloc. One at a time.
class RefusedAllocation {
 public:
  explicit RefusedAllocation(std::size_t bytes);
  RefusedAllocation(const RefusedAllocation&) = delete;
  RefusedAllocation& operator=(const RefusedAllocation&) = delete;
  ~RefusedAllocation();

  bool has_happened() const;
};

}  // namespace loadline::test
