// Pages of the batches to come, asked for before workers touch them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/batch.h"
#include "loaders/sampler.h"
#include "loaders/storage/page_requests.h"

namespace loadline {

// Asks the system for the pages of a batch, and of some batches behind it, so that storage has as many requests as it
// can take while workers fill. For mapped samples that the page cache does not hold: by itself each fault is one
// request that its worker waits for.
//
// The asking is done by the worker that is about to fill, as it takes microseconds and no thread has to be woken for
// it. It ends by itself where all has been asked for, or where nothing has come from storage for long; from then on it
// costs a look at a flag.
class PageAhead {
 public:
  // Null where there is nothing to ask for: samples are not mapped, or the page cache holds them. Of a stream that
  // begins as `stream` says. Borrows assembler and sampler.
  static std::unique_ptr<PageAhead> where_cold(const Assembler& assembler, const Sampler& sampler,
                                               const StreamOptions& stream, std::size_t batches_ahead);

  // To be called before batch `sequence` is filled. Any thread.
  void before(std::uint64_t sequence) {
    if (!done_.load(std::memory_order_relaxed)) ask_until(sequence);
  }

 private:
  PageAhead(const Assembler& assembler, const Sampler& sampler, const StreamOptions& stream, std::size_t batches_ahead,
            std::unique_ptr<PageRequests> requests);

  void ask_until(std::uint64_t sequence);
  bool may_ask(std::uint64_t sequence) const;
  void ask_for_next();

  const Assembler& assembler_;
  const std::size_t batches_ahead_;
  std::atomic<bool> done_{false};
  std::mutex mutex_;                        // of all below
  std::unique_ptr<PageRequests> requests_;  // null once done
  BatchStream stream_;
  std::vector<SampleIndex> indices_;
  Slot plan_;
  std::vector<StoredSample> places_;
  std::vector<std::size_t> bytes_;  // asked for, a batch, by its sequence number modulo their number
  std::uint64_t next_ = 0;          // sequence number of the batch that is asked for next
  std::size_t without_reads_ = 0;   // batches in a row for which nothing came from storage
};

}  // namespace loadline
