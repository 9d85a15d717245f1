// Pages of mapped files, asked for before anybody touches them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "loaders/storage/scattered_reads.h"

namespace loadline {

using MappedBytes = std::span<const std::byte>;  // a whole mapped file

// Asks the system to fetch pages that will be read (madvise, MADV_WILLNEED), so that storage has many requests at a
// time and the thread that reads waits for none. Where it starts at once the system reads nothing around a page that is
// touched, as long as it lives (MADV_RANDOM). Advice alone: nothing fails.
//
// Blocks of 128 KiB are asked for once each, where memory can hold the files: their other samples come in the same
// epoch, and a large request costs storage little more than a small one. Of files that storage takes long to read the
// wanted pages go first and the blocks follow, in the order of the files. What memory cannot hold is asked for page by
// page, each time, since its neighbours would be gone before their turn.
//
// Any thread may call all of it.
class PagesAhead {
 public:
  // Of files that memory can hold. The system may read no more for one request than its read-ahead (read_ahead_kb),
  // which is 128 KiB unless set. docs/cold.md has other sizes.
  static constexpr std::size_t kBlockBytes = std::size_t{128} << 10;

  // Whether all of the files stay in the page cache once they were read.
  static constexpr bool memory_holds(std::uint64_t file_bytes, std::uint64_t memory_bytes) {
    return file_bytes <= memory_bytes / 10 * 9;
  }

  enum class Start : std::uint8_t { kAtOnce, kWhenMissing };

  // The files must outlive it. `memory_bytes`: of this machine. Started when missing, it has nothing to ask for until
  // note_missing() says that pages are.
  PagesAhead(std::vector<MappedBytes> files, std::size_t memory_bytes, Start start = Start::kAtOnce);
  PagesAhead(const PagesAhead&) = delete;
  PagesAhead& operator=(const PagesAhead&) = delete;
  ~PagesAhead() = default;

  // Bytes of one of the files, at least one. Waits where storage has as many requests as its queue holds.
  void ask(std::span<const std::byte> bytes);
  // For blocks that were not asked for yet, some for each of `samples` samples.
  void ask_for_others(std::size_t samples);

  // Whether every block was asked for, so that neither has anything to do.
  bool all_asked() const { return left_.load(std::memory_order_relaxed) == 0; }

  // What a thread that read `samples` samples found: how many times it had to wait for a page that was not in memory.
  // Where that is often though there is nothing to ask for, it starts; where it had started, the page cache has not
  // kept what was asked for, and from then on pages are asked for one by one.
  void note_missing(std::size_t pages, std::size_t samples);

 private:
  struct Part {
    MappedBytes bytes;
    std::size_t first_block;
  };

  const Part& part_of(const std::byte* byte) const;
  bool is_asked(std::size_t block) const;
  bool claim(std::size_t block);
  void ask_for_block(const Part& part, std::size_t block);

  std::vector<Part> parts_;  // by address
  std::vector<std::unique_ptr<ScatteredReads>> advice_;
  std::size_t bytes_ = 0;
  std::size_t blocks_ = 0;
  std::vector<std::atomic<std::uint64_t>> asked_;  // a bit a block
  std::atomic<std::size_t> left_{0};               // blocks that were not asked for; never 0 page by page
  std::atomic<std::size_t> next_other_{0};         // block
  std::atomic<bool> started_;
  std::atomic<bool> page_by_page_;
};

// Whether the page cache holds each of some pages all over the files. True too where the system does not tell.
bool seem_cached(std::span<const MappedBytes> files);

// Times this thread waited for a page that was not in memory, since it began. Cheap: one system call.
std::size_t pages_waited_for();

// That storage was asked for by this thread since it began; always 0 where the system does not count them. Cheap: one
// system call.
std::size_t blocks_read();

// Of this machine.
std::size_t memory_bytes();

}  // namespace loadline
