// Keeps inflated chunks for those of their samples that are requested later.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "loaders/system/memory.h"

namespace loadline {

// Any thread. When memory runs short, the least recently used chunk is dropped. Two threads never fill the same
// chunk: the second may work on others first, then wait.
class ChunkCache {
 public:
  // For chunks numbered below `chunks`, of `chunk_bytes` bytes each, at most `kept` of them at a time. Takes memory
  // as chunks come. Throws Error if it is refused.
  ChunkCache(std::size_t chunks, std::size_t chunk_bytes, std::size_t kept);

  enum class State : std::uint8_t {
    kReady,   // the chunk is filled
    kToFill,  // the calling thread must fill it soon: others may be waiting
    kBusy,    // another thread is filling it
    kFull,    // it is not kept, and all kept chunks are in use
  };

  // A chunk in use, which stays in place while the hold lives. The cache must outlive it.
  class Hold {
   public:
    Hold(Hold&& other) noexcept
        : cache_(std::exchange(other.cache_, nullptr)), entry_(other.entry_), state_(other.state_) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold();

    State state() const { return state_; }
    // The chunk's bytes: readable when ready, writable while it is being filled.
    std::span<std::byte> bytes() const;
    // Marks the chunk as filled. A hold that ends without this leaves the chunk as if it had never been requested.
    void filled();

   private:
    friend class ChunkCache;
    Hold(ChunkCache* cache, std::uint32_t entry, State state) : cache_(cache), entry_(entry), state_(state) {}

    ChunkCache* cache_;
    std::uint32_t entry_;
    State state_;
  };

  Hold find(std::size_t chunk);
  // The same, but waits while another thread fills the chunk: never kBusy. Not for a thread that still has a chunk to
  // fill.
  Hold wait_for(std::size_t chunk);

  // Drops unused chunks.
  void forget();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Entry {
    std::size_t chunk = 0;
    std::uint32_t holds = 0;
    bool filled = false;
    std::uint32_t before = kNone;  // neighbour in the order of use, while it is filled and not held
    std::uint32_t after = kNone;
  };

  std::optional<Hold> look_up(std::size_t chunk);  // nullopt: it is busy
  std::uint32_t free_entry();
  void put_last(std::uint32_t entry);
  void take_out(std::uint32_t entry);
  void drop(Entry& entry);
  void release(std::uint32_t entry);
  std::uint32_t& entry_of(std::size_t chunk);  // entry number plus one; 0: none

  const std::size_t chunk_bytes_;
  HugeMemory entry_of_chunk_;
  HugeMemory memory_;
  std::mutex mutex_;
  std::condition_variable changed_;  // an entry was filled or given up
  std::size_t waiting_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> unused_;  // entries without a chunk
  std::uint32_t first_ = kNone;        // in the order of use
  std::uint32_t last_ = kNone;
};

}  // namespace loadline
