#include "loaders/storage/scattered_reads.h"

#include <sys/mman.h>

#include <cstdint>

#include "loaders/system/memory.h"

namespace loadline {

ScatteredReads::ScatteredReads(std::span<const std::byte> mapped) {
  if (mapped.empty()) return;
  const std::size_t before = reinterpret_cast<std::uintptr_t>(mapped.data()) % bytes_of_a_page();
  pages_ = {mapped.data() - before, mapped.size() + before};
  ::madvise(const_cast<std::byte*>(pages_.data()), pages_.size(), MADV_RANDOM);
}

ScatteredReads::~ScatteredReads() {
  if (!pages_.empty()) ::madvise(const_cast<std::byte*>(pages_.data()), pages_.size(), MADV_NORMAL);
}

}  // namespace loadline
