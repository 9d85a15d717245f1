// Pages of mapped files, asked for before anybody touches them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "loaders/storage/scattered_reads.h"

namespace loadline {

using MappedBytes = std::span<const std::byte>;  // a whole mapped file

// Has the system fetch pages that will be read, so that storage has many requests at a time and the thread that reads
// waits for none. Where it starts at once the system reads nothing around a page that is touched, as long as it lives
// (MADV_RANDOM). Advice alone: nothing fails.
//
// Blocks of 2 MiB are read once each, where memory can hold the files: their other samples come in the same epoch. Four
// threads of its own read them into huge pages, where the system has these for files (MADV_HUGEPAGE), which costs it a
// fraction of what 512 small pages do; where it has not, it is asked for 128 KiB at a time (MADV_WILLNEED). Of files
// that storage takes long to read the wanted pages go first and the blocks follow, in the order of the files. What
// memory cannot hold is asked for page by page, each time, since its neighbours would be gone before their turn.
//
// Any thread may call all of it.
class PagesAhead {
 public:
  // Of files that memory can hold: a huge page of most systems. docs/cold.md has other sizes.
  static constexpr std::size_t kBlockBytes = std::size_t{2} << 20;

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
  // Waits for the blocks that are being read, and for no others.
  ~PagesAhead();

  // Bytes of one of the files, at least one. Single pages wait where storage has as many requests as its queue holds;
  // blocks wait for nothing.
  void ask(std::span<const std::byte> bytes);
  // For blocks that were not asked for yet, some for each of `samples` samples.
  void ask_for_others(std::size_t samples);

  // Whether every block was asked for, so that neither has anything to do.
  bool all_asked() const { return left_.load(std::memory_order_relaxed) == 0; }
  // Whether every block was read by its threads.
  bool all_read() const { return unread_.load(std::memory_order_acquire) == 0; }

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
  void ask_for_block(std::size_t block);
  void advise_files();
  void start_readers();
  void read_blocks();

  std::vector<Part> parts_;  // by address
  std::vector<std::unique_ptr<ScatteredReads>> advice_;
  std::size_t bytes_ = 0;
  std::size_t blocks_ = 0;
  std::vector<std::atomic<std::uint64_t>> asked_;  // a bit a block
  std::atomic<std::size_t> left_{0};               // blocks that were not asked for; never 0 page by page
  std::atomic<std::size_t> next_other_{0};         // block
  std::atomic<std::size_t> other_bytes_{0};        // that it may come to
  std::atomic<bool> started_;
  std::atomic<bool> page_by_page_;
  std::vector<std::atomic<std::uint32_t>> queue_;  // of blocks, counted from 1; 0: not asked for yet
  std::atomic<std::size_t> places_{0};             // of the queue that were given to blocks
  std::atomic<std::size_t> next_place_{0};         // that a reader waits for
  std::atomic<std::uint32_t> queued_{0};           // changes with the queue
  std::atomic<std::size_t> unread_{0};             // blocks
  std::atomic<bool> stopping_{false};
  std::atomic<bool> reading_{false};
  std::mutex starting_;
  std::vector<std::jthread> readers_;  // last: they use all of the above
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
