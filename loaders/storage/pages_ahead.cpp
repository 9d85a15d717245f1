#include "loaders/storage/pages_ahead.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "loaders/system/memory.h"

namespace loadline {
namespace {

constexpr std::size_t kBitsAWord = 64;

// A smaller dataset arrives so soon that its blocks can be requested whole; in a larger one the wanted pages go first.
constexpr std::size_t kBytesReadSoon = std::size_t{2} << 30;
// Smaller parts of a block are requested separately; this many single pages would keep storage as busy as the block.
constexpr std::size_t kLargeBytes = std::size_t{32} << 10;
constexpr std::size_t kOtherBytesASample = std::size_t{32} << 10;

void will_need(const std::byte* first, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += PagesAhead::kBlockBytes) {
    ::madvise(const_cast<std::byte*>(first + at), std::min(PagesAhead::kBlockBytes, bytes - at), MADV_WILLNEED);
  }
}

void will_need_pages(MappedBytes file, std::size_t begin, std::size_t end) {
  const std::size_t first = begin / bytes_of_a_page() * bytes_of_a_page();
  will_need(file.data() + first, end - first);
}

}  // namespace

PagesAhead::PagesAhead(std::vector<MappedBytes> files, std::size_t memory_bytes, Start start)
    : started_(start == Start::kAtOnce) {
  std::ranges::sort(files, {}, [](const MappedBytes& file) { return file.data(); });
  for (const MappedBytes& file : files) {
    if (file.empty()) continue;
    parts_.push_back({file, blocks_});
    if (start == Start::kAtOnce) advice_.push_back(std::make_unique<ScatteredReads>(file));
    blocks_ += (file.size() + kBlockBytes - 1) / kBlockBytes;
    bytes_ += file.size();
  }
  asked_ = std::vector<std::atomic<std::uint64_t>>((blocks_ + kBitsAWord - 1) / kBitsAWord);
  page_by_page_ = !memory_holds(bytes_, memory_bytes);
  if (start == Start::kAtOnce) left_ = blocks_;
}

const PagesAhead::Part& PagesAhead::part_of(const std::byte* byte) const {
  const auto behind = std::ranges::upper_bound(parts_, byte, {}, [](const Part& part) { return part.bytes.data(); });
  return *(behind - 1);
}

bool PagesAhead::is_asked(std::size_t block) const {
  return (asked_[block / kBitsAWord].load(std::memory_order_relaxed) >> (block % kBitsAWord) & 1U) != 0;
}

bool PagesAhead::claim(std::size_t block) {
  if (is_asked(block)) return false;
  const std::uint64_t bit = std::uint64_t{1} << (block % kBitsAWord);
  if ((asked_[block / kBitsAWord].fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return false;
  left_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

void PagesAhead::ask_for_block(const Part& part, std::size_t block) {
  if (!claim(block)) return;
  const std::size_t at = (block - part.first_block) * kBlockBytes;
  will_need(part.bytes.data() + at, std::min(kBlockBytes, part.bytes.size() - at));
}

void PagesAhead::ask(std::span<const std::byte> bytes) {
  const Part& part = part_of(bytes.data());
  const auto begin = static_cast<std::size_t>(bytes.data() - part.bytes.data());
  const std::size_t end = begin + bytes.size();
  if (page_by_page_.load(std::memory_order_relaxed)) return will_need_pages(part.bytes, begin, end);
  const bool whole_blocks = bytes_ <= kBytesReadSoon || bytes.size() >= kLargeBytes;
  for (std::size_t at = begin; at < end;) {
    const std::size_t block = part.first_block + at / kBlockBytes;
    const std::size_t next = std::min(end, (at / kBlockBytes + 1) * kBlockBytes);
    if (whole_blocks) {
      ask_for_block(part, block);
    } else if (!is_asked(block)) {
      will_need_pages(part.bytes, at, next);
    }
    at = next;
  }
}

void PagesAhead::ask_for_others(std::size_t samples) {
  if (page_by_page_.load(std::memory_order_relaxed)) return;
  const std::size_t wanted = (samples * kOtherBytesASample + kBlockBytes - 1) / kBlockBytes;
  for (std::size_t i = 0; i < wanted && !all_asked(); ++i) {
    const std::size_t block = next_other_.fetch_add(1, std::memory_order_relaxed);
    if (block >= blocks_) return;
    const auto behind = std::ranges::upper_bound(parts_, block, {}, &Part::first_block);
    ask_for_block(*(behind - 1), block);
  }
}

void PagesAhead::note_missing(std::size_t pages, std::size_t samples) {
  constexpr std::size_t kOften = 16;  // one sample in this many
  // Read before checking whether everything was requested: another thread may start requests in between.
  const bool started = started_.load(std::memory_order_acquire);
  if (pages == 0 || pages * kOften < samples || !all_asked()) return;
  if (!started) {
    std::size_t none = 0;
    if (left_.compare_exchange_strong(none, blocks_, std::memory_order_relaxed)) {
      started_.store(true, std::memory_order_release);
    }
    return;
  }
  page_by_page_.store(true, std::memory_order_relaxed);
  left_.store(1, std::memory_order_relaxed);
}

bool seem_cached(std::span<const MappedBytes> files) {
  constexpr std::size_t kLooks = 64;
  std::size_t pages = 0;
  for (const MappedBytes& file : files) pages += (file.size() + bytes_of_a_page() - 1) / bytes_of_a_page();
  std::size_t before = 0;
  std::size_t look = 0;
  for (const MappedBytes& file : files) {
    const std::size_t own = (file.size() + bytes_of_a_page() - 1) / bytes_of_a_page();
    for (; look < kLooks && look * pages / kLooks < before + own; ++look) {
      const std::byte* page = file.data() + (look * pages / kLooks - before) * bytes_of_a_page();
      unsigned char held = 0;
      if (::mincore(const_cast<std::byte*>(page), 1, &held) == 0 && (held & 1U) == 0) return false;
    }
    before += own;
  }
  return true;
}

std::size_t pages_waited_for() {
  rusage usage{};
  return ::getrusage(RUSAGE_THREAD, &usage) == 0 ? static_cast<std::size_t>(usage.ru_majflt) : 0;
}

std::size_t blocks_read() {
  rusage usage{};
  return ::getrusage(RUSAGE_THREAD, &usage) == 0 ? static_cast<std::size_t>(usage.ru_inblock) : 0;
}

std::size_t machine_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  if (pages < 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(pages) * bytes_of_a_page();
}

}  // namespace loadline
