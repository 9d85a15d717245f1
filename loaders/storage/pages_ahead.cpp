#include "loaders/storage/pages_ahead.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace loadline {
namespace {

constexpr std::size_t kBitsAWord = 64;

// Fewer bytes are there so soon that nothing has to go first.
constexpr std::size_t kBytesReadSoon = std::size_t{4} << 30;
// The system may read no more for one request than its read-ahead (read_ahead_kb), which is 128 KiB unless set.
constexpr std::size_t kAskedAtOnce = std::size_t{128} << 10;
// Each has one block under way. docs/cold.md has other numbers.
constexpr std::size_t kReaders = 4;
constexpr std::size_t kOtherBytesASample = std::size_t{32} << 10;

std::size_t page_size() {
  static const auto kBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return kBytes;
}

void advise_huge_pages(MappedBytes file, int advice) {
  const std::size_t before = reinterpret_cast<std::uintptr_t>(file.data()) % page_size();
  ::madvise(const_cast<std::byte*>(file.data() - before), file.size() + before, advice);
}

void will_need(const std::byte* first, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kAskedAtOnce) {
    ::madvise(const_cast<std::byte*>(first + at), std::min(kAskedAtOnce, bytes - at), MADV_WILLNEED);
  }
}

// Waits for them. Where a mapping is advised to be of huge pages, Linux reads the whole block for its first page, into
// one piece of memory. What it has not read then it is asked for as ever: older ones do not, and a block that a page
// of is there already comes in small pages. A file that was cut short ends in an error here, and in no signal.
void read_block(const std::byte* first, std::size_t bytes) {
#ifdef MADV_POPULATE_READ
  ::madvise(const_cast<std::byte*>(first), std::min(page_size(), bytes), MADV_POPULATE_READ);
#endif
  will_need(first, bytes);
}

void will_need_pages(MappedBytes file, std::size_t begin, std::size_t end) {
  const std::size_t first = begin / page_size() * page_size();
  will_need(file.data() + first, end - first);
}

}  // namespace

PagesAhead::PagesAhead(std::vector<MappedBytes> files, std::size_t memory_bytes, Start start)
    : started_(start == Start::kAtOnce) {
  std::ranges::sort(files, {}, [](const MappedBytes& file) { return file.data(); });
  for (const MappedBytes& file : files) {
    if (file.empty()) continue;
    parts_.push_back({file, blocks_});
    blocks_ += (file.size() + kBlockBytes - 1) / kBlockBytes;
    bytes_ += file.size();
  }
  asked_ = std::vector<std::atomic<std::uint64_t>>((blocks_ + kBitsAWord - 1) / kBitsAWord);
  page_by_page_ = !memory_holds(bytes_, memory_bytes);
  queue_ = std::vector<std::atomic<std::uint32_t>>(blocks_);
  unread_ = blocks_;
  if (start == Start::kWhenMissing) return;
  left_ = blocks_;
  advise_files();
}

PagesAhead::~PagesAhead() {
  stopping_.store(true);
  queued_.fetch_add(1);
  queued_.notify_all();
  readers_.clear();
  if (advice_.empty() || page_by_page_) return;
  // Or a loader that reads nothing ahead would have huge pages because another one had them before.
  for (const Part& part : parts_) advise_huge_pages(part.bytes, MADV_NOHUGEPAGE);
}

void PagesAhead::advise_files() {
  for (const Part& part : parts_) advice_.push_back(std::make_unique<ScatteredReads>(part.bytes));
  if (page_by_page_) return;
  for (const Part& part : parts_) advise_huge_pages(part.bytes, MADV_HUGEPAGE);
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

void PagesAhead::ask_for_block(std::size_t block) {
  if (!claim(block)) return;
  start_readers();
  // As many have a place as there are blocks, and each is asked for once.
  const std::size_t place = places_.fetch_add(1, std::memory_order_relaxed);
  queue_[place].store(static_cast<std::uint32_t>(block + 1), std::memory_order_release);
  queued_.fetch_add(1, std::memory_order_release);
  queued_.notify_all();  // each waits for a place of its own
}

// Where no thread can be had the workers' own faults read the blocks.
void PagesAhead::start_readers() {
  if (reading_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(starting_);
  if (reading_.load(std::memory_order_relaxed)) return;
  try {
    while (readers_.size() < kReaders) readers_.emplace_back([this] { read_blocks(); });
  } catch (const std::system_error&) {
  }
  reading_.store(true, std::memory_order_release);
}

void PagesAhead::read_blocks() {
  for (std::size_t place = next_place_.fetch_add(1); place < blocks_; place = next_place_.fetch_add(1)) {
    std::uint32_t number = 0;
    for (;;) {
      const std::uint32_t seen = queued_.load(std::memory_order_acquire);
      if (stopping_.load()) return;
      number = queue_[place].load(std::memory_order_acquire);
      if (number != 0) break;
      queued_.wait(seen);
    }
    const std::size_t block = number - 1;
    const Part& part = *(std::ranges::upper_bound(parts_, block, {}, &Part::first_block) - 1);
    const std::size_t at = (block - part.first_block) * kBlockBytes;
    read_block(part.bytes.data() + at, std::min(kBlockBytes, part.bytes.size() - at));
    unread_.fetch_sub(1, std::memory_order_release);
  }
}

void PagesAhead::ask(std::span<const std::byte> bytes) {
  const Part& part = part_of(bytes.data());
  const auto begin = static_cast<std::size_t>(bytes.data() - part.bytes.data());
  const std::size_t end = begin + bytes.size();
  if (page_by_page_.load(std::memory_order_relaxed)) return will_need_pages(part.bytes, begin, end);
  const bool whole_blocks = bytes_ <= kBytesReadSoon;
  for (std::size_t at = begin; at < end;) {
    const std::size_t block = part.first_block + at / kBlockBytes;
    const std::size_t next = std::min(end, (at / kBlockBytes + 1) * kBlockBytes);
    if (whole_blocks) {
      ask_for_block(block);
    } else if (!is_asked(block)) {
      will_need_pages(part.bytes, at, next);
    }
    at = next;
  }
}

void PagesAhead::ask_for_others(std::size_t samples) {
  if (page_by_page_.load(std::memory_order_relaxed)) return;
  const std::size_t before = other_bytes_.fetch_add(samples * kOtherBytesASample, std::memory_order_relaxed);
  const std::size_t wanted = (before + samples * kOtherBytesASample) / kBlockBytes - before / kBlockBytes;
  for (std::size_t i = 0; i < wanted && !all_asked(); ++i) {
    const std::size_t block = next_other_.fetch_add(1, std::memory_order_relaxed);
    if (block >= blocks_) return;
    ask_for_block(block);
  }
}

void PagesAhead::note_missing(std::size_t pages, std::size_t samples) {
  constexpr std::size_t kOften = 16;  // one sample in so many
  if (pages == 0 || pages * kOften < samples || !all_asked()) return;
  if (started_.load() && !all_read()) return;
  if (!started_.exchange(true)) {
    left_.store(blocks_, std::memory_order_relaxed);
    return;
  }
  page_by_page_.store(true, std::memory_order_relaxed);
  left_.store(1, std::memory_order_relaxed);
}

bool seem_cached(std::span<const MappedBytes> files) {
  constexpr std::size_t kLooks = 64;
  std::size_t pages = 0;
  for (const MappedBytes& file : files) pages += (file.size() + page_size() - 1) / page_size();
  std::size_t before = 0;
  std::size_t look = 0;
  for (const MappedBytes& file : files) {
    const std::size_t own = (file.size() + page_size() - 1) / page_size();
    for (; look < kLooks && look * pages / kLooks < before + own; ++look) {
      const std::byte* page = file.data() + (look * pages / kLooks - before) * page_size();
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

std::size_t memory_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * page_size();
}

}  // namespace loadline
