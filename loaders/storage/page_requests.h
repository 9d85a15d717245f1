// Pages of mapped files, asked for before they are touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "loaders/storage/mapping.h"
#include "loaders/storage/scattered_reads.h"

namespace loadline {

// Whether the page cache lacks some of these files, by a look at so many pages, evenly spread. Also where the system
// does not tell: to ask for pages that are there costs little and ends soon.
bool some_pages_missing(std::span<const MappedFile* const> files, std::size_t looks = 256);

std::size_t memory_of_machine_bytes();

// Blocks of 512 bytes that the calling thread has had read from devices.
long device_blocks_read();

// Asks the system to read parts of mapped files (madvise, MADV_WILLNEED): it begins at once and waits for nothing, so
// that storage has as many requests as there are parts, where a page fault is one request that its thread waits for.
//
// Parts are asked for in the order of the files, neighbours together. With blocks, whole blocks around the parts are
// asked for, each once: where samples are smaller than what a device reads in the time that a request takes, and
// memory keeps what was read, the rest of a block is what later samples need. Without, the pages of the parts alone,
// and what a fault reads is its own page: memory does not keep all, and what is read around would be read in vain.
//
// One thread at a time. Advice alone: nothing fails.
class PageRequests {
 public:
  // `block_bytes`: a multiple of the page; 0: no blocks. The files must outlive it.
  PageRequests(std::vector<const MappedFile*> files, std::size_t block_bytes);

  // Notes a part, which lies in one of the files. Touches nothing.
  void want(std::span<const std::byte> part);
  // Asks for what was noted since the last call. Returns how many bytes that is, blocks asked for before not counted.
  std::size_t ask();
  // Whether each block has been asked for; never without blocks.
  bool asked_for_all() const { return blocks_left_ == 0; }

 private:
  struct File {
    std::uintptr_t begin;             // of its mapping
    std::size_t bytes;                // of it
    std::vector<std::uint8_t> asked;  // a block: whether it was asked for; empty without blocks
  };
  struct Part {
    std::size_t file;   // index
    std::size_t begin;  // bytes
    std::size_t end;
  };

  std::size_t ask_for(const Part& part);
  bool take_block(File& file, std::size_t at);

  std::size_t unit_bytes_;   // a block or a page
  std::vector<File> files_;  // by their addresses
  std::vector<std::unique_ptr<ScatteredReads>> scattered_;
  std::vector<Part> wanted_;  // in whole units, but for the end of a file
  std::size_t blocks_left_;
};

}  // namespace loadline
