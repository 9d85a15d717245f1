#include "loaders/storage/scattered_reads.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace loadline {

ScatteredReads::ScatteredReads(std::span<const std::byte> mapped) {
  if (mapped.empty()) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = reinterpret_cast<std::uintptr_t>(mapped.data()) % page;
  pages_ = {mapped.data() - before, mapped.size() + before};
  ::madvise(const_cast<std::byte*>(pages_.data()), pages_.size(), MADV_RANDOM);
}

ScatteredReads::~ScatteredReads() {
  if (!pages_.empty()) ::madvise(const_cast<std::byte*>(pages_.data()), pages_.size(), MADV_NORMAL);
}

}  // namespace loadline
