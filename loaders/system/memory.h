// Large blocks of memory for slots and resident samples.
#pragma once

#include <cstddef>
#include <span>

namespace loadline {

// Makes the system provide the memory now, rather than when each page is first written.
void fault_in(std::span<std::byte> bytes);

enum class Faults { kNow, kLater };

// Bytes of `count` elements of `element_bytes` each. Throws Error when they are more than can be counted: a file may
// claim any number.
std::size_t memory_bytes(std::size_t count, std::size_t element_bytes);

// Zeroed anonymous memory, aligned to 2 MiB, in huge pages where the system grants them, and every page of it faulted
// in by the constructor, unless that is left for later, so that no fault is left for the time the clock runs. Freed by
// the destructor. Of NUMA nodes that are named it lies on the one, or page by page on each in turn; where they have no
// room, or the system forbids to say so, it lies elsewhere: nodes_of() tells.
class HugeMemory {
 public:
  // Throws Error naming the size when the system refuses it.
  explicit HugeMemory(std::size_t size_bytes, Faults faults = Faults::kNow, std::span<const std::size_t> nodes = {});
  HugeMemory(HugeMemory&& other) noexcept;
  HugeMemory& operator=(HugeMemory&&) = delete;
  ~HugeMemory();

  std::span<std::byte> bytes() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::span<std::byte> reserved_;  // what was mapped: `data_` stands in it at the first 2 MiB boundary
};

}  // namespace loadline
