// Requests pages of mapped files before anybody touches them.
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
// time and the reading thread waits for none. If it starts at once, it also stops the system from reading around each
// touched page while it lives (MADV_RANDOM). Only advice: it never fails.
//
// If memory can hold the files, each block of 128 KiB is requested once: its other samples come in the same epoch,
// and a large request costs storage little more than a small one. For files that storage takes long to read, the
// wanted pages go first and the blocks follow in file order. If memory cannot hold the files, pages are requested one
// by one each time, since their neighbours would be evicted before their turn.
//
// Any thread may call any member.
class PagesAhead {
 public:
  // For files that memory can hold. The system may limit a request to its read-ahead (read_ahead_kb), 128 KiB by
  // default. docs/cold.md has measurements of other sizes.
  static constexpr std::size_t kBlockBytes = std::size_t{128} << 10;

  // Whether all files stay in the page cache once they were read.
  static constexpr bool memory_holds(std::uint64_t file_bytes, std::uint64_t memory_bytes) {
    return file_bytes <= memory_bytes / 10 * 9;
  }

  enum class Start : std::uint8_t { kAtOnce, kWhenMissing };

  // The files must outlive it. `memory_bytes`: memory of this machine. With Start::kWhenMissing it requests nothing
  // until note_missing() reports missing pages.
  PagesAhead(std::vector<MappedBytes> files, std::size_t memory_bytes, Start start = Start::kAtOnce);
  PagesAhead(const PagesAhead&) = delete;
  PagesAhead& operator=(const PagesAhead&) = delete;
  ~PagesAhead() = default;

  // Requests bytes of one of the files, at least one. Waits if storage's queue is full.
  void ask(std::span<const std::byte> bytes);
  // Requests blocks that were not requested yet, some for each of `samples` samples.
  void ask_for_others(std::size_t samples);

  // Whether every block was requested, so that neither function has anything to do.
  bool all_asked() const { return left_.load(std::memory_order_relaxed) == 0; }

  // Reports how often a thread that read `samples` samples had to wait for a page. If that is often although nothing
  // is left to request, requests start; if they had started already, the page cache did not keep the blocks, and from
  // then on pages are requested one by one.
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
  std::vector<std::atomic<std::uint64_t>> asked_;  // one bit per block
  std::atomic<std::size_t> left_{0};               // blocks not requested yet; never 0 page by page
  std::atomic<std::size_t> next_other_{0};         // block
  std::atomic<bool> started_;
  std::atomic<bool> page_by_page_;
};

// Whether the page cache holds all of some pages spread over the files. Also true if the system does not tell.
bool seem_cached(std::span<const MappedBytes> files);

// How often this thread has waited for a page since it began. Cheap: one system call.
std::size_t pages_waited_for();

// Blocks that this thread has requested from storage since it began; always 0 if the system does not count them.
// Cheap: one system call.
std::size_t blocks_read();

// Memory of this machine; the largest number if the system does not tell.
std::size_t machine_memory_bytes();

}  // namespace loadline
