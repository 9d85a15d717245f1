// The functions behind the rows of the table of ceilings; their contract is CeilingKind's.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "harness/ceilings/ceilings.h"
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

// Throws Error where `blocks` is 0: all files of a dataset that had samples are empty now.
void check_not_emptied(const DatasetInfo& info, std::size_t blocks);

// How long the blocks are that `threads` threads read into a buffer each: as wanted, or shorter where there are so many
// that the buffers would take more than 64 MiB, but at least a page of 4 KiB.
std::size_t block_bytes(std::size_t wanted, std::size_t threads);

// How much memory a kernel of the memory's rates uses: enough to leave the caches, no more than an eighth of what there
// is or of what RLIMIT_DATA and RLIMIT_AS leave, and at most 1 GiB.
std::size_t memory_kernel_bytes(const Machine& machine);

}  // namespace loadline
