// Chunks that were inflated, kept for those of their samples that are asked for later.
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

// Any thread. Where memory is short, the chunk that was used least recently makes way. No chunk is filled by two
// threads at a time: the second one may do others first, and then wait.
class ChunkCache {
 public:
  // For chunks with numbers below `chunks`, each of `chunk_bytes`, at most `kept` of them at a time. Takes memory as
  // they come. Throws Error when it is refused.
  ChunkCache(std::size_t chunks, std::size_t chunk_bytes, std::size_t kept);

  enum class State : std::uint8_t {
    kReady,   // it is there
    kToFill,  // the asking thread is the one to fill it, soon: others may wait for that
    kBusy,    // another thread is filling it
    kFull,    // it is not there, and all that are kept are in use
  };

  // A chunk in use, which stays where it is until then. The cache must outlive it.
  class Hold {
   public:
    Hold(Hold&& other) noexcept
        : cache_(std::exchange(other.cache_, nullptr)), entry_(other.entry_), state_(other.state_) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold();

    State state() const { return state_; }
    // Of the chunk: readable when ready, writable while it is being filled.
    std::span<std::byte> bytes() const;
    // The chunk is there from now on. A hold that ends without leaves it as if it had never been asked for.
    void filled();

   private:
    friend class ChunkCache;
    Hold(ChunkCache* cache, std::uint32_t entry, State state) : cache_(cache), entry_(entry), state_(state) {}

    ChunkCache* cache_;
    std::uint32_t entry_;
    State state_;
  };

  Hold find(std::size_t chunk);
  // The same, but waits while another thread is filling it: never busy. Not for a thread that has a chunk to fill.
  Hold wait_for(std::size_t chunk);

  // Drops unused chunks.
  void forget();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Entry {
    std::size_t chunk = 0;
    std::uint32_t holds = 0;
    bool filled = false;
    std::uint32_t before = kNone;  // in the order of use, while it is filled and not held
    std::uint32_t after = kNone;
  };

  std::optional<Hold> look_up(std::size_t chunk);  // nullopt: it is busy
  std::uint32_t free_entry();
  void put_last(std::uint32_t entry);
  void take_out(std::uint32_t entry);
  void drop(Entry& entry);
  void release(std::uint32_t entry);
  std::uint32_t& entry_of(std::size_t chunk);  // plus one; 0: it has none

  const std::size_t chunk_bytes_;
  HugeMemory entry_of_chunk_;
  HugeMemory memory_;
  std::mutex mutex_;
  std::condition_variable changed_;  // an entry was filled, or given up
  std::size_t waiting_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> unused_;  // entries of no chunk
  std::uint32_t first_ = kNone;        // in the order of use
  std::uint32_t last_ = kNone;
};

}  // namespace loadline
