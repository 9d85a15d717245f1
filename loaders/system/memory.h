// Large blocks of memory for slots and resident samples.
#pragma once

#include <cstddef>
#include <span>

namespace loadline {

// Of the system's small pages. Safe in a signal handler once it has been called.
std::size_t bytes_of_a_page();

// Makes the system provide the memory now rather than at the first write to each page.
void fault_in(std::span<std::byte> bytes);

enum class Faults { kNow, kLater };

// Bytes of `count` elements of `element_bytes` each. Throws Error on overflow: a file may claim any number.
std::size_t memory_bytes(std::size_t count, std::size_t element_bytes);

// Zeroed anonymous memory, aligned to 2 MiB, in huge pages if the system grants them. The constructor faults in every
// page, unless told to leave that for later, so that no page fault happens while the clock runs. Freed by the
// destructor. With NUMA nodes given, it lies on the one node, or page by page on each in turn; if they have no room,
// or the system forbids placement, it lies elsewhere: nodes_of() tells.
class HugeMemory {
 public:
  // Throws Error naming the size if the system refuses it.
  explicit HugeMemory(std::size_t size_bytes, Faults faults = Faults::kNow, std::span<const std::size_t> nodes = {});
  HugeMemory(HugeMemory&& other) noexcept;
  HugeMemory& operator=(HugeMemory&&) = delete;
  ~HugeMemory();

  std::span<std::byte> bytes() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::span<std::byte> reserved_;  // the whole mapping: `data_` begins at its first 2 MiB boundary
};

}  // namespace loadline
