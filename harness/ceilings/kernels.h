// The functions behind the rows of the table of ceilings. CeilingKind::make has their contract.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "harness/ceilings/ceilings.h"
#include "loaders/batch_pool.h"
#include "loaders/random.h"

namespace loadline {

std::unique_ptr<CeilingKernel> make_memory_read(const CeilingSubject& subject);
std::unique_ptr<CeilingKernel> make_memory_write(const CeilingSubject& subject);
std::unique_ptr<CeilingKernel> make_memory_copy(const CeilingSubject& subject);
std::unique_ptr<CeilingKernel> make_device_read(const CeilingSubject& subject);
std::unique_ptr<CeilingKernel> make_device_iops(const CeilingSubject& subject);
std::unique_ptr<CeilingKernel> make_mapped_read(const CeilingSubject& subject);
std::unique_ptr<CeilingKernel> make_page_cache(const CeilingSubject& subject);
std::unique_ptr<CeilingKernel> make_gather(const CeilingSubject& subject);
std::unique_ptr<CeilingKernel> make_gather_drain(const CeilingSubject& subject);
std::unique_ptr<CeilingKernel> make_gather_across(const CeilingSubject& subject);
std::unique_ptr<CeilingKernel> make_gather_exchange(const CeilingSubject& subject);
std::unique_ptr<CeilingKernel> make_drain(const CeilingSubject& subject);
std::unique_ptr<CeilingKernel> make_hand_off(const CeilingSubject& subject);

// The same order each time.
template <typename Block>
void shuffle(std::vector<Block>& blocks) {
  Random random(1);
  for (std::size_t i = blocks.size(); i > 1; --i) {
    std::swap(blocks[i - 1], blocks[random.below(static_cast<std::uint32_t>(i))]);
  }
}

// Throws Error if `blocks` is 0: the dataset had samples, but all its files are empty now.
void check_not_emptied(const DatasetInfo& info, std::size_t blocks);

// The size of the blocks that each of `threads` threads reads into its own buffer: `wanted`, or less so that all
// buffers together take at most 64 MiB, but at least a page of 4 KiB.
std::size_t block_bytes(std::size_t wanted, std::size_t threads);

// How many slots each thread of gather-exchange has: enough that a slot which is filled anew has left the reader's own
// cache, as in a loader's pool, and at least 3.
std::size_t slots_exchanged(std::size_t slot_bytes);

// How many slots gather-across has. If they are small, each filling thread has as many as above; if they are large,
// one, and some are for all, because more would exceed a cache that a loader's slots fit into.
struct SlotsAcross {
  std::size_t own;    // of each filling thread
  std::size_t spare;  // that any of them may take

  std::size_t all(std::size_t fillers) const { return fillers * own + spare; }
};
SlotsAcross slots_across(std::size_t slot_bytes);

// How many slots the reader of `drain` reads in turn: one for each writer and one more, or more if slots are small.
std::size_t slots_drained(std::size_t writers, std::size_t slot_bytes);
// What each writer writes after its slots to move them out of its own cache.
inline constexpr std::size_t kScratchBytes = 2 * kReuseBytes;

// How much memory a memory-rate kernel uses: enough to exceed the caches, but at most 1 GiB and at most an eighth of
// the memory available or of what RLIMIT_DATA and RLIMIT_AS leave.
std::size_t memory_kernel_bytes(const Machine& machine);

}  // namespace loadline
